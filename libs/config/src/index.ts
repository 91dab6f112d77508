export { authModeOf } from './auth-mode.js';
export { serverConfigOrExit } from './config-or-exit.js';
export { createLogger, type Logger } from './logging.js';
export * from './loopback.js';
export { NestLogger } from './nest-logger.js';
export * from './public-url.js';
export * from './read-config.js';
export { SecretBox, type SecretKey, SecretUnavailable } from './secret-box.js';
export { type Config, SETTINGS } from './settings.js';
