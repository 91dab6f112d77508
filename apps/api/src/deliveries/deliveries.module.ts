import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller.js';

@Module({ controllers: [DeliveriesController] })
export class DeliveriesModule {}
