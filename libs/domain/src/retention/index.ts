export * from './retention-steps.js';
export * from './kept-attempts.js';
