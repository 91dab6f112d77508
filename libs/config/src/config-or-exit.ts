import { ConfigError, type Environment, loadEnvironment, readServerConfig, type ServerConfig } from './read-config.js';

/** What a server process starts with. A configuration that is wrong is printed plainly, without a stack, and ends it. */
export function serverConfigOrExit(): ServerConfig {
  try {
    const env = loadEnvironment();
    adoptTelemetry(env);
    return readServerConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** OpenTelemetry's own variables are read by its packages, which know of the environment alone and not of `.env`. */
function adoptTelemetry(env: Environment): void {
  for (const [name, value] of Object.entries(env)) if (name.startsWith('OTEL_')) process.env[name] ??= value;
}
