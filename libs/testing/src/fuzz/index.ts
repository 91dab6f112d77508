export { fuzz, type FuzzOptions, type FuzzReport } from './fuzz.js';
export { isWell, reportLines } from './report.js';
export { residentBytes } from './resident-bytes.js';
