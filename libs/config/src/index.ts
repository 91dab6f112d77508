export * from './loopback.js';
export * from './read-config.js';
export { type Config, SETTINGS } from './settings.js';
