import { Module } from '@nestjs/common';
import { ClaimForAgent, HearAgent, PLATFORM, type Platform, SettleGroup } from '#pipeline';
import { SettleModule } from '../settle/settle.module.js';
import { AgentsController } from './agents.controller.js';
import { Claims } from './claims.js';

/** Agents come for their runs: nothing is pushed to them. */
@Module({
  imports: [SettleModule],
  controllers: [AgentsController],
  providers: [
    Claims,
    {
      provide: ClaimForAgent,
      useFactory: ({ database, clock, metrics, config: { leaseSeconds } }: Platform, settle: SettleGroup) =>
        new ClaimForAgent(database, clock, settle, metrics, { leaseSeconds }),
      inject: [PLATFORM, SettleGroup],
    },
    {
      provide: HearAgent,
      useFactory: ({ database, clock, config: { leaseSeconds } }: Platform, settle: SettleGroup) =>
        new HearAgent(database, clock, settle, { leaseSeconds }),
      inject: [PLATFORM, SettleGroup],
    },
  ],
})
export class AgentsModule {}
