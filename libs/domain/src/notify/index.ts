export * from './next-try.js';
export * from './notice.js';
export * from './notice-body.js';
export * from './secret-keys.js';
