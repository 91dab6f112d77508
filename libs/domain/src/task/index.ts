export * from './definition.js';
export * from './errors.js';
export { describeSchedule } from './describe-schedule.js';
export {
  type HeaderValue,
  type HeaderValues,
  isSecretValue,
  keepSecretHeaders,
  mapHeaders,
  movedSecrets,
  shownHeaders,
} from './header-values.js';
export { keepSecretKey } from './notify-rules.js';
export { plannedFire } from './planned-fire.js';
export { RETRY_CAUSES } from './retry-rules.js';
export { cronProblems } from './schedule-rules.js';
export { inexactNumber, isShallow, unstorable } from './storable.js';
export { type Deployment, taskProblems } from './task-rules.js';
