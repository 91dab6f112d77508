import { Module } from '@nestjs/common';
import { CronController } from './cron.controller.js';
import { TaskNextController } from './task-next.controller.js';

@Module({ controllers: [CronController, TaskNextController] })
export class CronModule {}
