export * from './alert.js';
export * from './next-try.js';
export * from './notice.js';
export * from './notice-body.js';
export * from './receiver-shares.js';
export * from './secret-keys.js';
