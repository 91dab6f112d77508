import { Module } from '@nestjs/common';
import { Idempotency } from '../http/idempotency.js';
import { TaskEditor } from './task-editor.js';
import { TaskStatusController } from './task-status.controller.js';
import { TasksController } from './tasks.controller.js';

@Module({ controllers: [TasksController, TaskStatusController], providers: [TaskEditor, Idempotency] })
export class TasksModule {}
