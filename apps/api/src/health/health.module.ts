import { Module } from '@nestjs/common';
import { PLATFORM, type Platform } from '#pipeline';
import { HealthController, READINESS_CHECKS } from './health.controller.js';
import { platformChecks } from './readiness.js';

@Module({
  controllers: [HealthController],
  providers: [
    { provide: READINESS_CHECKS, useFactory: (platform: Platform) => platformChecks(platform), inject: [PLATFORM] },
  ],
  exports: [READINESS_CHECKS],
})
export class HealthModule {}
