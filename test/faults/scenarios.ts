import { agents } from './rows/agents.js';
import { badTargets } from './rows/bad-targets.js';
import { callbacks } from './rows/callbacks.js';
import { databaseAwayAtBoot, databaseKilled } from './rows/database-gone.js';
import { daylightSaving } from './rows/daylight-saving.js';
import { deadlocks } from './rows/deadlocks.js';
import { diskFull } from './rows/disk-full.js';
import { lockedRow } from './rows/locked-row.js';
import { lostCommit } from './rows/lost-commit.js';
import { nobodySchedules } from './rows/nobody-schedules.js';
import { randomKillsForAWhile, randomKillsForMinutes } from './rows/random-kills.js';
import { receiverAwayForAWhile, receiverAwayForMinutes } from './rows/receiver-away.js';
import { redisFlushed, redisFull } from './rows/redis-emptied.js';
import { redisFrozen, redisKilled, redisKilledWithAof } from './rows/redis-gone.js';
import { redisUnreachableBusy, redisUnreachableIdle } from './rows/redis-unreachable.js';
import { schedulerFrozen } from './rows/scheduler-frozen.js';
import { schedulerKilled } from './rows/scheduler-killed.js';
import { loopBlocked, workerFrozen } from './rows/worker-frozen.js';
import { workerKilled } from './rows/worker-killed.js';
import { stoppedUnderLoad } from './rows/worker-stopped.js';
import { wrongClock } from './rows/wrong-clock.js';
import type { Scenario } from './support/scenario.js';

/** All of them, in the order of the table in docs/guarantees.md. */
export const SCENARIOS: readonly Scenario[] = [
  schedulerKilled,
  schedulerFrozen,
  nobodySchedules,
  wrongClock,
  daylightSaving,
  workerKilled,
  workerFrozen,
  loopBlocked,
  stoppedUnderLoad,
  redisKilled,
  redisKilledWithAof,
  redisFlushed,
  redisFull,
  redisUnreachableIdle,
  redisUnreachableBusy,
  redisFrozen,
  databaseKilled,
  lostCommit,
  databaseAwayAtBoot,
  diskFull,
  deadlocks,
  lockedRow,
  callbacks,
  agents,
  badTargets,
  receiverAwayForMinutes,
  receiverAwayForAWhile,
  randomKillsForMinutes,
  randomKillsForAWhile,
];
