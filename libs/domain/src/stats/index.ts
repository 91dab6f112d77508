export * from './summarize-runs.js';
