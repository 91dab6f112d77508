export { acceptStarts, type WaitingRun } from './accept-starts.js';
export { armCallbacks, type ArmedAttempt } from './arm-callbacks.js';
export { type AttemptStart, attemptStarts } from './attempt-starts.js';
export { type CallableRun, type CallbackToken, findCallback } from './find-callback.js';
export { type Heartbeat, heartbeat } from './heartbeat.js';
export * from './public-url.js';
export {
  type Correction,
  correctRun,
  hasChangedRun,
  keepLateCallback,
  type KeptEffect,
  type LateSaid,
  markLateCallback,
} from './late-callbacks.js';
