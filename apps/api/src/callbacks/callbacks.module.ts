import { Module } from '@nestjs/common';
import { PLATFORM, type Platform, ReceiveCallback, SettleGroup } from '#pipeline';
import { SettleModule } from '../settle/settle.module.js';
import { CallbacksController } from './callbacks.controller.js';

@Module({
  imports: [SettleModule],
  controllers: [CallbacksController],
  providers: [
    {
      provide: ReceiveCallback,
      useFactory: ({ database, clock, metrics }: Platform, settle: SettleGroup) =>
        new ReceiveCallback(database, clock, settle, metrics),
      inject: [PLATFORM, SettleGroup],
    },
  ],
})
export class CallbacksModule {}
