export { type Checkup, checkTask } from './check-task.js';
export { findSuspects, type Search, type SearchOptions } from './find-suspects.js';
