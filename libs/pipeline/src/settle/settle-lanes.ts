import type { Settlement } from '#database';
import type { SettleGroup } from './settle-group.js';

type Lane = Pick<SettleGroup, 'add' | 'hurry' | 'skipLate'>;

/**
 * Groups beside each other, for a backlog: while one transaction is on its way the next one goes as well. There all results of a task
 * go the same way, so that no two transactions want the same task's rows, and each closes more runs of fewer tasks. Without a
 * backlog there is one group, since most of what a statement costs is the statement itself.
 */
export class SettleLanes {
  private readonly first: Lane;

  constructor(private readonly lanes: readonly [Lane, ...Lane[]]) {
    this.first = lanes[0];
  }

  /** As a group has it. What waits in other lanes for more waits no longer once no calls wait. */
  add(settlement: Settlement, isLast: boolean, callsWait: boolean): Promise<boolean> {
    const lane = callsWait ? this.laneOf(settlement.taskId) : this.first;
    const settled = lane.add(settlement, isLast, callsWait);
    if (!callsWait) for (const other of this.lanes) if (other !== lane) other.hurry();
    return settled;
  }

  skipLate(runIds: readonly string[]): Promise<void> {
    return this.first.skipLate(runIds);
  }

  private laneOf(taskId: bigint): Lane {
    return this.lanes[Number(taskId % BigInt(this.lanes.length))];
  }
}
