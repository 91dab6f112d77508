import { type BeforeApplicationShutdown, Global, Module } from '@nestjs/common';
import { PLATFORM, type Platform } from '#pipeline';
import { Audit } from './audit.js';
import { Doorkeeper } from './doorkeeper.js';
import { KeyRing } from './key-ring.js';
import { KeyUses } from './key-uses.js';
import { Quotas } from './quotas.js';
import { RateLimits } from './rate-limits.js';

/** Who may do what, how much of it, and who did. */
@Global()
@Module({
  providers: [
    Audit,
    Quotas,
    {
      provide: KeyRing,
      useFactory: ({ database, clock }: Platform) => new KeyRing(database, clock),
      inject: [PLATFORM],
    },
    {
      provide: KeyUses,
      useFactory: ({ database, clock, log }: Platform) => new KeyUses(database, clock, log),
      inject: [PLATFORM],
    },
    {
      provide: Doorkeeper,
      useFactory: (platform: Platform, keys: KeyRing, uses: KeyUses) => {
        const { config, queue, clock } = platform;
        return new Doorkeeper(platform, keys, uses, new RateLimits(config, queue.counters, clock));
      },
      inject: [PLATFORM, KeyRing, KeyUses],
    },
  ],
  exports: [Audit, Quotas, KeyRing, Doorkeeper],
})
export class AccessModule implements BeforeApplicationShutdown {
  constructor(private readonly uses: KeyUses) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.uses.write();
  }
}
