import { Module } from '@nestjs/common';
import { Idempotency } from '../http/idempotency.js';
import { BackfillsController } from './backfills.controller.js';
import { TaskBackfillsController } from './task-backfills.controller.js';

@Module({ controllers: [BackfillsController, TaskBackfillsController], providers: [Idempotency] })
export class BackfillsModule {}
