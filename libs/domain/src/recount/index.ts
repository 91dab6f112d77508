export * from './diagnose.js';
export * from './describe-problem.js';
