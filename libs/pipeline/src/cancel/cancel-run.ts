import { cancelRun, type Clock, type Database, executionsOf, type Witness } from '#database';
import { NotFound, WrongState } from '#domain';
import type { Signals } from '#queue';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { EnqueueNotices } from '../notify/enqueue-notices.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';

/** Calls a run off, whatever it is doing; who waits behind it moves up, and the worker that executes it lets go. */
export class CancelRun {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly notices: Pick<EnqueueNotices, 'add'>,
    private readonly signals: Pick<Signals, 'send'>,
    private readonly metrics: PipelineMetrics,
  ) {}

  /** Cancelling twice is no mistake; a run that came to another end stays as it is. */
  async cancel(run: { tenantId: string; id: string; witness?: Witness }, reason?: string): Promise<void> {
    const why = { errorCode: 'CANCELED', errorInfo: reason ?? 'cancelled on request' };
    const answer = await cancelRun(this.database, run, why, this.clock.now());
    if (answer === null) throw new NotFound('run', run.id);
    const { was, canceled, released, notices } = answer;
    if (canceled.length === 0 && was !== 'CANCELED')
      throw new WrongState(run.id, was, 'only an unfinished run can be cancelled');
    this.signals.send({ cancel: executionsOf(canceled) });
    this.metrics.canceled(canceled, 'CANCELED');
    await this.enqueue.add(released);
    await this.notices.add(notices);
  }
}
