export * from './errors.js';
export * from './deadlines.js';
export * from './judge-callback.js';
export * from './late-effect.js';
export * from './outcome.js';
export * from './redact-token.js';
