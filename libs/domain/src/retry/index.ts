export * from './next-retry.js';
export * from './retry-after.js';
