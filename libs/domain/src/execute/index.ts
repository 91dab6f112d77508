export * from './host-rules.js';
export * from './token-bucket.js';
