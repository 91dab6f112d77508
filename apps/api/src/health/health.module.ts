import { Module } from '@nestjs/common';
import { PLATFORM, type Platform, ServerProbe } from '#pipeline';
import { HealthController } from './health.controller.js';

@Module({
  controllers: [HealthController],
  providers: [
    { provide: ServerProbe, useFactory: (platform: Platform) => new ServerProbe(platform), inject: [PLATFORM] },
  ],
})
export class HealthModule {}
