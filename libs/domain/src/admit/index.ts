export * from './admit.js';
export * from './lateness.js';
