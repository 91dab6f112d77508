export * from './node-state.js';
