import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NewRun, Settlement } from '#database';
import { PipelineMetrics } from './pipeline-metrics.js';
import { reasonOf } from './reasons.js';

const settlement = (runId: string, status: Settlement['status'], ms = 20, errorCode: string | null = null) =>
  ({ runId, status, startedAt: 1_000, finishedAt: 1_000 + ms, errorCode, trigger: 'API' }) as Settlement;

const run = (status: NewRun['status'], skipReason: NewRun['skipReason'] = null, missedCount: number | null = null) => ({
  status,
  skipReason,
  missedCount,
  trigger: 'CRON' as const,
});

describe('PipelineMetrics', () => {
  let metrics: PipelineMetrics;

  beforeEach(() => {
    metrics = new PipelineMetrics({ now: () => Date.now() });
  });

  /** The value behind a series as it is written in the text; undefined when it is not there. */
  const valueOf = async (series: string) => {
    const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`punctual_${series} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };

  it('counts due seconds by verdict, and every one of a gap', async () => {
    const runs = [
      ...[run('SCHEDULED'), run('SCHEDULED'), run('QUEUED'), run('SKIPPED', 'QUEUE_FULL'), run('SKIPPED', 'OVERLAP')],
      run('SKIPPED', 'MISSED', 40),
      run('SCHEDULED', null, 7),
    ];
    metrics.ticked(5, runs, 30);
    const verdicts = ['run', 'queue', 'skip_queue_full', 'skip_overlap', 'missed', 'skip_late'];
    const values = await Promise.all(verdicts.map((verdict) => valueOf(`ticks_total{verdict="${verdict}"}`)));
    expect(values).toEqual([3, 1, 1, 1, 40, 0]);
    expect(await valueOf('tick_batch_size_sum')).toBe(5);
    expect(await valueOf('tick_batch_seconds_sum')).toBeCloseTo(0.03);
  });

  it('a look that finds nothing is no batch', async () => {
    metrics.ticked(0, [], 2);
    expect(await valueOf('tick_batch_size_count')).toBe(0);
    expect(await valueOf('tick_batch_seconds_count')).toBe(0);
  });

  it('measures lateness once per run, and never below zero', async () => {
    const due = { attempt: 1, trigger: 'CRON', scheduledTime: 10_000, queuedAt: 10_010 } as const;
    metrics.sent(due, 10_030);
    metrics.sent({ ...due, attempt: 2 }, 19_000);
    metrics.sent({ ...due, trigger: 'CATCH_UP' }, 90_000);
    metrics.sent(due, 9_990);
    expect(await valueOf('lateness_seconds_count{trigger="CRON"}')).toBe(2);
    expect(await valueOf('lateness_seconds_sum{trigger="CRON"}')).toBeCloseTo(0.03);
    expect(await valueOf('lateness_seconds_bucket{le="0.05",trigger="CRON"}')).toBe(2);
    expect(await valueOf('lateness_seconds_count{trigger="CATCH_UP"}')).toBe(1);
    expect(await valueOf('lateness_seconds_count{trigger="MANUAL"}')).toBe(0);
    // From its admission on: before, nobody could have started it.
    expect(await valueOf('queue_wait_seconds_sum{trigger="CRON"}')).toBeCloseTo(0.02);
    expect(await valueOf('queue_wait_seconds_count{trigger="CRON"}')).toBe(2);
  });

  it('counts what a group settled by status, and what came too late apart', async () => {
    const group = [settlement('a', 'SUCCESS'), settlement('b', 'SUCCESS'), settlement('c', 'FAILED', 400)];
    metrics.settled(group, new Set(['a', 'c']), 8);
    expect(await valueOf('runs_settled_total{status="SUCCESS"}')).toBe(1);
    expect(await valueOf('runs_settled_total{status="FAILED"}')).toBe(1);
    expect(await valueOf('runs_settled_total{status="TIMEOUT"}')).toBe(0);
    expect(await valueOf('stale_results_total')).toBe(1);
    expect(await valueOf('settle_group_size_sum')).toBe(3);
    expect(await valueOf('settle_seconds_sum')).toBeCloseTo(0.008);
    expect(await valueOf('execution_seconds_sum')).toBeCloseTo(0.44);
  });

  it('counts runs by status, reason and trigger', async () => {
    metrics.ticked(2, [run('SCHEDULED'), run('QUEUED'), run('SKIPPED', 'OVERLAP')], 5);
    metrics.admitted([{ status: 'SCHEDULED', skipReason: null, trigger: 'API' }]);
    const group = [settlement('a', 'SUCCESS'), settlement('b', 'RETRYING', 20, 'HTTP_503'), settlement('c', 'FAILED')];
    metrics.settled(group, new Set(['a', 'b']), 8);
    metrics.canceled([{ trigger: 'CRON' }], 'REPLACED');
    metrics.skippedLate(['CRON']);
    metrics.moved('MANUALLY_PROCESSED', 'REPLAY');
    metrics.moved('PENDING', 'API', 'LATE_CALLBACK');
    const runs = [...(await metrics.text()).matchAll(/^punctual_runs_total\{(.*)\} (\d+)$/gm)];
    const valuesOf = (text: string) => text.replaceAll(/\w+="(\w*)"/g, '$1');
    expect(Object.fromEntries(runs.map(([, labels, count]) => [valuesOf(labels), Number(count)]))).toEqual({
      'SCHEDULED,,CRON': 1,
      'QUEUED,,CRON': 1,
      'SKIPPED,OVERLAP,CRON': 1,
      'SCHEDULED,,API': 1,
      'SUCCESS,,API': 1,
      'RETRYING,HTTP_5XX,API': 1,
      'CANCELED,REPLACED,CRON': 1,
      'SKIPPED,LATE,CRON': 1,
      'MANUALLY_PROCESSED,,REPLAY': 1,
      'PENDING,LATE_CALLBACK,API': 1,
    });
    expect(await valueOf('retries_total')).toBe(1);
  });

  it.each([
    [null, ''],
    ['', ''],
    ['NETWORK', 'NETWORK'],
    ['HTTP_404', 'HTTP_4XX'],
    ['HTTP_999', 'HTTP_9XX'],
    ['EXIT_3', 'EXIT'],
    ['SIGNAL_KILL', 'SIGNAL'],
    ['whatever an agent says', 'OTHER'],
  ])('knows the reason %j as %j', (code, reason) => expect(reasonOf(code)).toBe(reason));

  it('tells whether its servers answer, how soon, and what is in the queues', async () => {
    metrics.watchServers({ database: () => Promise.resolve(), queue: () => Promise.reject(new Error('away')) });
    metrics.watchQueues(() => Promise.resolve({ runs: { waiting: 3, delayed: 2, active: 1, oldestSeconds: 1.5 } }));
    expect([await valueOf('database_up'), await valueOf('queue_up')]).toEqual([1, 0]);
    expect(await valueOf('database_latency_seconds')).toBeGreaterThanOrEqual(0);
    expect(await valueOf('queue_latency_seconds')).toBeUndefined();
    expect(await valueOf('queue_jobs{queue="runs",state="waiting"}')).toBe(3);
    expect(await valueOf('queue_oldest_seconds{queue="runs"}')).toBe(1.5);
  });

  it('answers all the same when both servers are silent', async () => {
    const silent = () => new Promise<never>(() => undefined);
    metrics.watchServers({ database: silent, queue: silent });
    metrics.watchQueues(silent);
    metrics.watchTasks(silent);
    const text = await metrics.text();
    expect(text).toContain('punctual_database_up 0');
    expect(text).not.toMatch(/^punctual_queue_jobs\{/m);
  });

  it('counts dispatches, what the queue refused, rescues, and runs that could not start in time', async () => {
    metrics.dispatched(3);
    metrics.enqueueFailed();
    metrics.rescued('enqueued', 'overdue', 2);
    metrics.rescued('node_lost', 'node_dead', 3);
    metrics.skippedLate(['CRON', 'CRON', 'CRON', 'API']);
    expect(await valueOf('dispatches_total')).toBe(3);
    expect(await valueOf('skipped_late_total')).toBe(4);
    expect(await valueOf('enqueue_failures_total')).toBe(1);
    expect(await valueOf('rescued_total{kind="enqueued",reason="overdue"}')).toBe(2);
    expect(await valueOf('rescued_total{kind="node_lost",reason="node_dead"}')).toBe(3);
    expect(await valueOf('rescued_total{kind="node_lost",reason="lease_expired"}')).toBe(0);
  });

  it('reads gauges when it is looked at', async () => {
    expect(await valueOf('slots')).toBeUndefined();
    let busy = 3;
    metrics.watchSlots(50, () => busy);
    expect([await valueOf('slots'), await valueOf('slots_busy')]).toEqual([50, 3]);
    busy = 4;
    expect(await valueOf('slots_busy')).toBe(4);
  });

  it('tells how far the database’s clock is from this machine’s', async () => {
    metrics = new PipelineMetrics({ now: () => Date.now() + 90_000 });
    expect(await valueOf('clock_offset_seconds')).toBeCloseTo(90);
  });

  it('leaves a gauge out while there is nothing to tell', async () => {
    metrics.watchTasks(() => Promise.reject(new Error('the database is away')));
    expect(await valueOf('tasks_enabled')).toBeUndefined();
  });

  it('tells how many processes of each kind there are, and of none that there are none', async () => {
    const WORKER = { role: 'WORKER', state: 'ALIVE' } as const;
    metrics.watchNodes(() => Promise.resolve([WORKER, WORKER, { role: 'SCHEDULER', state: 'DRAINING' }]));
    expect(await valueOf('nodes{role="WORKER",state="ALIVE"}')).toBe(2);
    expect(await valueOf('nodes{role="SCHEDULER",state="DRAINING"}')).toBe(1);
    expect(await valueOf('nodes{role="WORKER",state="DEAD"}')).toBe(0);
  });

  it('shows the process beside the pipeline, in Prometheus’ format', async () => {
    const text = await metrics.text();
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).toContain('# TYPE punctual_lateness_seconds histogram');
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  });
});
