import { Module } from '@nestjs/common';
import { EnqueueNotices, EnqueueRuns, PLATFORM, type Platform, SettleGroup } from '#pipeline';

/** Whoever asks is told to ask again rather than kept waiting for a database that is away. */
const PATIENCE_MS = 5_000;

/** Closing runs whose work is done outside of our workers, by the same transactions. */
@Module({
  providers: [
    {
      provide: SettleGroup,
      useFactory: (platform: Platform, enqueue: EnqueueRuns, notices: EnqueueNotices) => {
        const { database, clock, log, metrics, alerts, tracing } = platform;
        const attemptsPerRun = platform.config.retentionAttemptsPerRun;
        const options = { patienceMs: PATIENCE_MS, alerts, tracing, attemptsPerRun };
        return new SettleGroup(database, clock, enqueue, notices, log, metrics, options);
      },
      inject: [PLATFORM, EnqueueRuns, EnqueueNotices],
    },
  ],
  exports: [SettleGroup],
})
export class SettleModule {}
