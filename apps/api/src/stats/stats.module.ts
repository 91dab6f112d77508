import { Module } from '@nestjs/common';
import { StatsController } from './stats.controller.js';
import { Stats } from './stats.js';

@Module({ controllers: [StatsController], providers: [Stats] })
export class StatsModule {}
