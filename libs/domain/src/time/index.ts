export { isoTime, timeWriter } from './time-text.js';
