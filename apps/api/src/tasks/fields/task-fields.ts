import { CallbackFields } from './callback-fields.js';

/**
 * Everything a user may say about a task but its name, which only some requests may leave out. The groups of fields stand
 * on one another, since decorators are inherited along one line only.
 */
export class TaskFields extends CallbackFields {}

export const NAME = { min: 1, max: 128, label: true };
