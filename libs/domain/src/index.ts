export * from './task/words.js';
export * from './task/retry-policy.js';
export * from './run/statuses.js';
export * from './run/run-id.js';
