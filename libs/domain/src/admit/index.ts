export * from './admit.js';
