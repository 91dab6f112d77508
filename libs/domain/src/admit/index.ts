export * from './admit.js';
export { type EndedRun, failsTask, type FailureFacts, rememberEnded } from './failure.js';
export * from './lateness.js';
export { hasFreeSlot, releasable, type SlotFacts } from './slots.js';
export * from './start-time.js';
