import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { JobOrders } from './job-orders.js';
import { JobsController } from './jobs.controller.js';

@Module({ imports: [RunsModule], controllers: [JobsController], providers: [JobOrders] })
export class JobsModule {}
