import { type ClaimedRun, type Clock, closedStatusOf, type NewRun, type Settlement } from '#database';
import {
  DELETED_STATUSES,
  type DeletedStatus,
  NODE_ROLES,
  NODE_STATES,
  type NodeRole,
  type NodeState,
  type Problem,
  PROBLEM_KINDS,
  RUN_TRIGGERS,
  type RunStatus,
  type RunTrigger,
} from '#domain';
import type { QueueDepth } from '#queue';
import { Registry } from 'prom-client';
import { CALL, GROUP, LATENESS, TRANSACTION } from './buckets.js';
import {
  CALLBACK_ANSWERS,
  type CallbackAnswer,
  type RescueKind,
  type RescueReason,
  RESCUES,
  SETTLED_STATUSES,
  type SettledStatus,
  TICK_VERDICTS,
  type TickVerdict,
  verdictOf,
} from './labels.js';
import { type Count, Meters, type Observe } from './meters.js';
import { processMetrics } from './process-metrics.js';
import { watchQueues } from './queue-gauges.js';
import { RareCount } from './rare-count.js';
import { reasonOf } from './reasons.js';
import { type Servers, watchServers } from './server-gauges.js';

/** What a process counts about its part of the pipeline, one for the process. docs/metrics.md has the list. */
export class PipelineMetrics {
  private readonly registry = new Registry();
  private readonly meters = new Meters(this.registry);

  private readonly lateness = this.meters.histograms(
    {
      name: 'lateness_seconds',
      help: 'From the due second to the moment the first attempt’s request is handed to the HTTP client, by the database’s clock, by what started the run. Jitter and waiting for a slot are part of it.',
      buckets: LATENESS,
    },
    'trigger',
    RUN_TRIGGERS,
  );
  private readonly ticks = this.meters.counters(
    'ticks_total',
    'Due seconds by what was decided: `run`, `queue`, `skip_` and the reason, or `missed`, which counts every due second of a gap.',
    'verdict',
    TICK_VERDICTS,
  );
  private readonly batchSize = this.meters.histogram(
    'tick_batch_size',
    'Due tasks one tick transaction took; a look that finds nothing is not counted.',
    GROUP,
  );
  private readonly batchSeconds = this.meters.histogram(
    'tick_batch_seconds',
    'Time of one tick transaction, from claiming the tasks to the commit.',
    TRANSACTION,
  );
  private readonly dispatches = this.meters.counter('dispatches_total', 'Dispatches the queue took.');
  private readonly enqueueFailures = this.meters.counter(
    'enqueue_failures_total',
    'Times the queue did not take what it was given; rescue brings those runs later.',
  );
  private readonly handOns = this.meters.counters(
    'handed_on_total',
    'Runs that a worker gave back to the queue without starting them: their target’s host had its share of slots or calls (`host`), all slots were taken for a second or the worker was stopping (`slots`), or the worker may not run commands (`executor`).',
    'reason',
    ['host', 'slots', 'executor'],
  );
  private readonly execution = this.meters.histogram(
    'execution_seconds',
    'Time of one execution, from its start to the end of the target’s answer.',
    CALL,
  );
  private readonly statuses = this.meters.counters(
    'runs_settled_total',
    'Executions that were settled, by the status they gave their run; `RETRYING` means that another attempt follows.',
    'status',
    SETTLED_STATUSES,
  );
  private readonly settleSize = this.meters.histogram(
    'settle_group_size',
    'Executions one settle transaction closed.',
    GROUP,
  );
  private readonly settleSeconds = this.meters.histogram(
    'settle_seconds',
    'Time of one settle transaction, to the commit.',
    TRANSACTION,
  );
  private readonly stale = this.meters.counter(
    'stale_results_total',
    'Results that came too late and changed nothing: the run had been cancelled or taken over.',
  );
  private readonly late = this.meters.counter(
    'skipped_late_total',
    'Runs that were admitted but could not start within `max_lateness_seconds`, and were closed as SKIPPED (LATE).',
  );
  private readonly rescues = this.meters.pairedCounters(
    'rescued_total',
    'What rescue did, and why. Runs told to the queue again (`enqueued`): `overdue`, or `queue_lost`. Runs closed or retried: their worker was lost (`node_lost`), which was silent itself (`node_dead`), is not listed any more (`node_gone`) or only let the lease pass (`lease_expired`); no callback came in time (`callback_expired`): `deadline`, `heartbeat`; their agent was lost (`agent_lost`): `lease_expired`, `deadline`. Runs too late to start (`late`): `max_lateness`. Notices told to the queue again (`notices`): `overdue`, `queue_lost`.',
    ['kind', 'reason'],
    RESCUES,
  );
  private readonly callbacks = this.meters.counters(
    'callbacks_total',
    'Requests to the callback addresses by how they were answered: the first outcome (`first`), the same again (`duplicate`), another one (`conflict`), after the end (`late`), a sign of life (`heartbeat`), a token that is missing or wrong (`bad_token`).',
    'answer',
    CALLBACK_ANSWERS,
  );
  private readonly agentClaims = this.meters.counter('agent_claims_total', 'Runs that were handed to agents.');
  private readonly leasesExpired = this.meters.counter(
    'agent_leases_expired_total',
    'Runs whose agent gave no sign of life in time, or was not through in time; they went back, or were closed.',
  );
  private readonly notices = this.meters.counters(
    'notices_total',
    'Tries to deliver a notice or an alert, by what came of them: acknowledged (`delivered`), to be tried again (`retried`), or given up (`failed`).',
    'outcome',
    ['delivered', 'retried', 'failed'],
  );
  private readonly repairs = this.meters.counters(
    'repairs_total',
    'Things the recount found wrong with a task and put right, by what it was; see docs/operations.md. Anything but zero is worth a look at the log.',
    'kind',
    PROBLEM_KINDS,
  );
  private readonly archives = this.meters.counter('archived_runs_total', 'Runs that were moved to the archive.');
  private readonly deletions = this.meters.counters(
    'deleted_runs_total',
    'Runs that were deleted because they had been kept long enough, by how they had ended.',
    'status',
    DELETED_STATUSES,
  );
  private readonly retentionSeconds = this.meters.histogram(
    'retention_pass_seconds',
    'Time of one pass through old runs, with the rests between its batches.',
    CALL,
  );

  private readonly runs = this.meters.counterBy(
    'runs_total',
    'Runs by the status they were given: when they were admitted (`SCHEDULED`, `QUEUED`, `SKIPPED`) and by whatever became of them later; by the reason, empty where all is well, an error code or why it was skipped; and by what started them.',
    ['status', 'reason', 'trigger'],
  );
  private readonly queueWait = this.meters.histograms(
    {
      name: 'queue_wait_seconds',
      help: 'From the moment a run was admitted, or was due if that is later, to the start of its first attempt: waiting in line for a slot of its task, in the queue, and for a slot of a worker.',
      buckets: LATENESS,
    },
    'trigger',
    RUN_TRIGGERS,
  );
  private readonly retries = this.meters.counter('retries_total', 'Attempts that failed and are followed by another.');

  constructor(clock: Clock) {
    this.meters.gauge(
      'clock_offset_seconds',
      'The database’s clock minus this host’s.',
      () => (clock.now() - Date.now()) / 1000,
    );
  }

  /** A batch of `tasks` due tasks was committed with these runs. */
  ticked(
    tasks: number,
    runs: readonly Pick<NewRun, 'status' | 'skipReason' | 'missedCount' | 'trigger'>[],
    ms: number,
  ): void {
    if (tasks === 0) return;
    this.batchSize(tasks);
    this.batchSeconds(ms / 1000);
    const counts = new Map<TickVerdict, number>();
    for (const run of runs) {
      const verdict = verdictOf(run);
      add(counts, verdict, verdict === 'missed' ? (run.missedCount ?? 1) : 1);
    }
    addAll(this.ticks, counts);
    this.admitted(runs);
  }

  /** Runs that were just written down, whatever for. */
  admitted(runs: readonly Pick<NewRun, 'status' | 'skipReason' | 'trigger'>[]): void {
    const counts = new Map<string, number>();
    for (const { status, skipReason, trigger } of runs) add(counts, keyOf(status, reasonOf(skipReason), trigger), 1);
    this.countRuns(counts);
  }

  dispatched(count: number): void {
    this.dispatches(count);
  }

  enqueueFailed(): void {
    this.enqueueFailures(1);
  }

  handedOn(reason: 'host' | 'slots' | 'executor', count: number): void {
    this.handOns[reason](count);
  }

  /** The run's request has just left. */
  sent(run: StartedRun, now: number): void {
    if (run.attempt !== 1) return;
    // A newer version may have written a trigger that is not known here.
    const observe = this.lateness[run.trigger] as Observe | undefined;
    observe?.(Math.max(0, now - run.scheduledTime) / 1000);
    if (run.queuedAt === undefined) return;
    const wait = this.queueWait[run.trigger] as Observe | undefined;
    wait?.(Math.max(0, now - Math.max(run.scheduledTime, run.queuedAt)) / 1000);
  }

  /** One transaction closed those executions of the group that are in `settled`. */
  settled(group: readonly Settlement[], settled: ReadonlySet<string>, ms: number): void {
    this.settleSize(group.length);
    this.settleSeconds(ms / 1000);
    for (const { startedAt, finishedAt } of group) this.execution(Math.max(0, finishedAt - startedAt) / 1000);
    this.stale(group.length - settled.size);
    this.closed(group, settled);
  }

  /** Counts the runs' new statuses alone: nobody here has executed them. */
  closed(group: readonly ClosedRun[], settled: ReadonlySet<string>): void {
    const counts = new Map<SettledStatus, number>();
    const runs = new Map<string, number>();
    for (const one of group) {
      if (!settled.has(one.runId)) continue;
      const status = closedStatusOf(one);
      add(counts, status, 1);
      add(runs, keyOf(status, reasonOf(one.errorCode), one.trigger), 1);
    }
    addAll(this.statuses, counts);
    this.countRuns(runs);
    this.retries(counts.get('RETRYING') ?? 0);
  }

  /** Called off, by whomever. */
  canceled(runs: readonly { trigger: RunTrigger }[], reason: string): void {
    this.statuses.CANCELED(runs.length);
    for (const { trigger } of runs) this.runs(['CANCELED', reason, trigger], 1);
  }

  skippedLate(triggers: readonly RunTrigger[]): void {
    this.late(triggers.length);
    for (const trigger of triggers) this.runs(['SKIPPED', 'LATE', trigger], 1);
  }

  /** Without an execution: a person has decided, a receiver has acknowledged, a callback has come late. */
  moved(status: RunStatus, trigger: string, errorCode: string | null = null): void {
    this.runs([status, reasonOf(errorCode), trigger], 1);
  }

  calledBack(answer: CallbackAnswer): void {
    this.callbacks[answer](1);
  }

  rescued<Kind extends RescueKind>(kind: Kind, reason: RescueReason<Kind>, count: number): void {
    this.rescues(kind, reason, count);
  }

  claimedByAgent(count: number): void {
    this.agentClaims(count);
  }

  agentLeaseExpired(count: number): void {
    this.leasesExpired(count);
  }

  noticed(outcome: 'delivered' | 'retried' | 'failed'): void {
    this.notices[outcome](1);
  }

  repaired(problems: readonly Problem[]): void {
    for (const { kind } of problems) this.repairs[kind](1);
  }

  archived(count: number): void {
    this.archives(count);
  }

  deleted(status: DeletedStatus, count: number): void {
    this.deletions[status](count);
  }

  retentionPassed(ms: number): void {
    this.retentionSeconds(ms / 1000);
  }

  /** For a process that executes; none are 0. */
  watchSlots(slots: number, busy: () => number): void {
    this.meters.gauge('slots', 'Run slots of this process: calls it makes at once. 0 in an API.', () => slots);
    this.meters.gauge('slots_busy', 'Slots with a call under way.', busy);
  }

  /** For a few processes of the fleet: the answer is the same in all of them, and costs the database an index scan. */
  watchTasks(countEnabled: () => Promise<number>): void {
    const count = new RareCount(countEnabled);
    this.meters.gauge(
      'tasks_enabled',
      'Tasks that are enabled, in the whole installation. Counted when read, at most every 15 seconds; missing while the database is away.',
      () => count.read(),
    );
  }

  /** How much waits to be delivered, and how long the oldest of it has. */
  watchOutbox(backlog: () => Promise<{ pending: number; oldestSeconds: number }>): void {
    const pending = new RareCount(async () => (await backlog()).pending);
    const oldest = new RareCount(async () => (await backlog()).oldestSeconds);
    this.meters.gauge(
      'notices_pending',
      'Notices and alerts that are not delivered yet and not given up, in the whole installation; counted up to 100,000, at most every 15 seconds.',
      () => pending.read(),
    );
    this.meters.gauge('notices_oldest_seconds', 'Age of the oldest of them; 0 when there is none.', () =>
      oldest.read(),
    );
  }

  /** For the few that count tasks: whether retention keeps up. */
  watchOldest(ages: () => Promise<{ run: number; archived: number }>): void {
    const run = new RareCount(async () => (await ages()).run);
    const archived = new RareCount(async () => (await ages()).archived);
    this.meters.gauge(
      'runs_oldest_seconds',
      'How long ago the oldest run that is not archived was scheduled; 0 when there is none.',
      () => run.read(),
    );
    this.meters.gauge('archive_oldest_seconds', 'The same of the oldest run in the archive.', () => archived.read());
  }

  /** For every process: whether its servers answer, and how soon. */
  watchServers(servers: Servers): void {
    watchServers(this.meters, servers);
  }

  /** What is in the queues. */
  watchQueues(read: () => Promise<Record<string, QueueDepth>>): void {
    watchQueues(this.meters, read);
  }

  /** Who is there. */
  watchNodes(list: () => Promise<readonly { role: NodeRole; state: NodeState }[]>): void {
    const nodes = new RareCount(async () => countOf(await list()));
    this.meters.gauges(
      'nodes',
      'Processes of the whole installation by what they do and how they are, as `GET /cluster/nodes` lists them; asked for at most every 15 seconds.',
      ['role', 'state'],
      () => nodes.read(),
    );
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Everything, in Prometheus' text format. */
  text(): Promise<string> {
    return Registry.merge([this.registry, processMetrics()]).metrics();
  }

  /** The pipeline's own metrics, without the process'. */
  list() {
    return this.registry.getMetricsAsArray();
  }

  private countRuns(counts: ReadonlyMap<string, number>): void {
    for (const [key, by] of counts) this.runs(key.split(' '), by);
  }
}

/** Without `queuedAt` where it waited for an agent, and in no queue. */
type StartedRun = Pick<ClaimedRun, 'attempt' | 'trigger' | 'scheduledTime'> & Partial<Pick<ClaimedRun, 'queuedAt'>>;

type ClosedRun = Pick<Settlement, 'runId' | 'status' | 'notify' | 'errorCode' | 'trigger'>;

/** The labels of `runs_total`, none of which has a space in it. */
const keyOf = (status: RunStatus, reason: string, trigger: RunTrigger | undefined): string =>
  `${status} ${reason} ${trigger ?? ''}`;

function add<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function addAll<Key extends string>(counters: Record<Key, Count>, counts: Map<Key, number>): void {
  for (const [key, by] of counts) counters[key](by);
}

/** Every combination there can be: one that has just become zero has to be seen as zero. */
function countOf(nodes: readonly { role: NodeRole; state: NodeState }[]) {
  return NODE_ROLES.flatMap((role) =>
    NODE_STATES.map((state) => ({
      labels: { role, state },
      value: nodes.filter((node) => node.role === role && node.state === state).length,
    })),
  );
}
