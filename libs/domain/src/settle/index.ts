export * from './agent-report.js';
export * from './call-outcome.js';
export { classifyResponse, type Verdict } from './classify.js';
export * from './close-execution.js';
export * from './command-outcome.js';
