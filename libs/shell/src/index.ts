export type { CommandCall } from './command.js';
export { ShellClient, type ShellOptions } from './shell-client.js';
