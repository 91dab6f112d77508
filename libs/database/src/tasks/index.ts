export { createTask } from './create-task.js';
export { deleteTask } from './delete-task.js';
export { findTask } from './find-task.js';
export { listTasks, type TaskListing } from './list-tasks.js';
export { replaceTask, type TaskChange } from './replace-task.js';
export { setTaskStatus } from './set-task-status.js';
export type { TaskWitness } from './task-witness.js';
export { definitionOf, type LastRun, type StoredTask } from './task-row.js';
