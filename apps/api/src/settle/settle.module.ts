import { Module } from '@nestjs/common';
import { EnqueueRuns, PLATFORM, type Platform, SettleGroup } from '#pipeline';

/** Whoever asks is told to ask again rather than kept waiting for a database that is away. */
const PATIENCE_MS = 5_000;

/** Closing runs whose work is done outside of our workers, by the same transactions. */
@Module({
  providers: [
    {
      provide: SettleGroup,
      useFactory: ({ database, clock, log, metrics }: Platform, enqueue: EnqueueRuns) =>
        new SettleGroup(database, clock, enqueue, log, metrics, { patienceMs: PATIENCE_MS }),
      inject: [PLATFORM, EnqueueRuns],
    },
  ],
  exports: [SettleGroup],
})
export class SettleModule {}
