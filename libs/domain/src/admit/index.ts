export * from './admit.js';
export * from './lateness.js';
export * from './start-time.js';
