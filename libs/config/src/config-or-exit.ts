import { ConfigError, loadEnvironment, readServerConfig, type ServerConfig } from './read-config.js';

/** What a server process starts with. A configuration that is wrong is printed plainly, without a stack, and ends it. */
export function serverConfigOrExit(): ServerConfig {
  try {
    return readServerConfig(loadEnvironment());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
