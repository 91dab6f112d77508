export { CronError, type CronField } from './cron-error.js';
export { localTime } from './local-time.js';
export { parseSchedule } from './parse-schedule.js';
export { type Schedule } from './schedule.js';
export { type ClockChange, clockChangeAt, transitionNote } from './transition-note.js';
