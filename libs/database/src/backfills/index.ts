export { type BackfillProgress, type HeldBackfill, saveBackfill } from './backfill-row.js';
export { cancelBackfill } from './cancel-backfill.js';
export { createBackfill, findBackfill, listBackfills, type NewBackfill } from './create-backfill.js';
export { type RunState, runStates, takeBackfill, unfinishedBackfills } from './take-backfill.js';
