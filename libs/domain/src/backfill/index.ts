export { backfillRange, type BackfillRange, LARGEST_BACKFILL, type RangeInput } from './backfill-range.js';
export { type BackfillCounts, countOpenRuns } from './count-open-runs.js';
export { type BackfillSecond, type BackfillStep, stepBackfill } from './step-backfill.js';
