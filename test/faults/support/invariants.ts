import type { AttemptRow, RunRow, StateRow } from './ledger.js';
import type { Findings } from './scenario.js';
import type { LoggedCall } from './target-log.js';

/** A task whose due seconds are known without asking the product: every `every` seconds, counted from 1970. */
export interface Watched {
  id: string;
  every: number;
}

const FINAL = new Set(['SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED']);
export const isFinal = (run: Pick<RunRow, 'status'>): boolean => FINAL.has(run.status);

export function dueSeconds({ every }: Watched, first: number, last: number): number[] {
  const due: number[] = [];
  for (let second = Math.ceil(first / every) * every; second <= last; second += every) due.push(second);
  return due;
}

/** I1: every due second has exactly one row, its run or one that says it covers it. */
export function checkAdmission(
  findings: Findings,
  tasks: readonly Watched[],
  runs: readonly RunRow[],
  { first, last }: { first: number; last: number },
): void {
  for (const task of tasks) {
    const due = dueSeconds(task, first, last);
    const rows = runs.filter((run) => run.taskId === task.id && ['CRON', 'CATCH_UP'].includes(run.trigger));
    const covers = new Map<number, number>();
    for (const second of rows.flatMap((run) => coveredBy(run, task))) covers.set(second, (covers.get(second) ?? 0) + 1);
    const lost = due.filter((second) => !covers.has(second));
    const doubled = due.filter((second) => covers.get(second)! > 1);
    const strange = [...covers.keys()].filter((second) => second % task.every !== 0);
    findings.checked += due.length;
    findings.lost += lost.length;
    findings.doubled += doubled.length;
    findings.expect(lost.length === 0, `I1: task ${task.id} has no row for ${some(lost)}`);
    findings.expect(doubled.length === 0, `I1: task ${task.id} has two rows for ${some(doubled)}`);
    findings.expect(
      strange.length === 0,
      `I1: task ${task.id} has rows for seconds that were not due: ${some(strange)}`,
    );
  }
}

const coveredBy = (run: RunRow, task: Watched): number[] =>
  run.missedFrom === null ? [run.scheduled] : dueSeconds(task, run.missedFrom, run.scheduled);

/** I2: every run that was admitted has come to an end. */
export function checkEnds(findings: Findings, runs: readonly RunRow[]): void {
  const open = runs.filter((run) => !isFinal(run));
  findings.lost += open.length;
  findings.expect(open.length === 0, () => `I2: not at an end: ${some(open.map((run) => `${run.id} ${run.status}`))}`);
}

/** What a run may take to come to its end. */
export interface Bounds {
  /** Until when, in seconds since 1970, the product was kept from its work. */
  overAt: number;
  leaseSeconds: number;
  /** When the process of that id was gone, in seconds since 1970. */
  goneAt: (pid: number) => number | undefined;
}

/** Rescue passes of half a second, on a machine that does many other things. */
const PASS_SECONDS = 10;

/**
 * I2: each execution was closed by its deadline, or as soon as the fault was over; that of a worker that was lost, by the end of the lease it
 * left; plus one pass of rescue.
 */
export function checkInTime(
  findings: Findings,
  runs: readonly RunRow[],
  attempts: readonly AttemptRow[],
  bounds: Bounds,
): void {
  const timeouts = new Map(runs.map((run) => [run.id, run.timeoutSeconds ?? Infinity]));
  const late = attempts.filter(
    (one) => one.finishedAt > endOf(one, timeouts.get(one.runId) ?? Infinity, bounds) + PASS_SECONDS,
  );
  const told = late.map(
    (one) => `${one.runId} (${one.outcome} after ${(one.finishedAt - one.startedAt).toFixed(1)} s)`,
  );
  findings.expect(late.length === 0, () => `I2: closed too late: ${some(told)}`);
}

function endOf({ startedAt, outcome, node }: AttemptRow, timeout: number, bounds: Bounds): number {
  const { overAt, leaseSeconds, goneAt } = bounds;
  if (outcome !== 'LOST') return Math.max(startedAt + timeout, overAt);
  // A node is called by its host, its process and a word by chance.
  const pid = Number(node?.split('-').at(-2));
  return Math.max(startedAt, goneAt(pid) ?? 0, overAt) + leaseSeconds;
}

/**
 * I3: no attempt was called twice, none beyond what the task allows, one execution decided, and its answer is the run's result.
 */
export function checkExecutions(
  findings: Findings,
  runs: readonly RunRow[],
  attempts: readonly AttemptRow[],
  calls: readonly LoggedCall[],
): void {
  const byRun = groupBy(calls, (call) => call.runId);
  const attemptsOf = groupBy(attempts, (attempt) => attempt.runId);
  const known = new Set(runs.map((run) => run.id));
  const unknown = [...byRun.keys()].filter((id) => !known.has(id));
  findings.expect(unknown.length === 0, `I3: called for runs that do not exist: ${some(unknown)}`);
  for (const run of runs) checkRun(findings, run, byRun.get(run.id) ?? [], attemptsOf.get(run.id) ?? []);
}

function checkRun(
  findings: Findings,
  run: RunRow,
  calls: readonly LoggedCall[],
  attempts: readonly AttemptRow[],
): void {
  const numbers = calls.map((call) => call.attempt);
  const repeated = numbers.length - new Set(numbers).size;
  findings.doubled += repeated;
  findings.expect(repeated === 0, () => `I3: an attempt of ${run.id} was called twice: ${numbers.join(', ')}`);
  findings.expect(
    Math.max(0, ...numbers) <= run.maxAttempts && run.attempt <= run.maxAttempts,
    () => `I3: ${run.id} had attempt ${Math.max(...numbers)} of ${run.maxAttempts}`,
  );
  const decided = attempts.filter((attempt) => attempt.outcome === 'SUCCESS');
  findings.expect(decided.length <= 1, `I3: ${decided.length} executions of ${run.id} have succeeded`);
  if (run.status !== 'SUCCESS') return;
  const { nth } = (run.result ?? {}) as { nth?: number };
  const deciding = calls.find((call) => call.attempt === run.attempt);
  findings.expect(deciding !== undefined, `I3: ${run.id} is SUCCESS without a call of its attempt ${run.attempt}`);
  findings.expect(
    deciding === undefined || deciding.span === spanOf(run.execId),
    () => `I3: ${run.id} was decided by execution ${run.execId}, and called by ${deciding?.span}`,
  );
  findings.expect(
    nth === undefined || nth === deciding?.nth,
    `I3: the result of ${run.id} is of call ${nth}, not of the one that decided (${deciding?.nth})`,
  );
}

const spanOf = (execId: string | null): string => (execId ?? '').replaceAll('-', '').slice(0, 16);

/** I4: of one task never more than `most` calls at once, and first attempts start in the order they were due. */
export function checkOrder(
  findings: Findings,
  tasks: readonly Watched[],
  calls: readonly LoggedCall[],
  most = 1,
): void {
  for (const { id } of tasks) {
    const own = calls.filter((call) => call.taskId === id).sort((a, b) => a.startedAt - b.startedAt || a.nth - b.nth);
    const crowded = own.filter(
      (call, i) => own.slice(0, i).filter((other) => isLive(other, call.startedAt)).length >= most,
    );
    findings.expect(
      crowded.length === 0,
      () => `I4: task ${id} had more than ${most} live at ${some(crowded.map((call) => call.runId))}`,
    );
    if (most > 1) continue;
    const firsts = own.filter((call) => call.attempt === 1);
    const early = firsts.filter((call, i) => i > 0 && call.due < firsts[i - 1].due);
    findings.expect(
      early.length === 0,
      () => `I4: task ${id} started out of order at ${some(early.map((call) => call.runId))}`,
    );
  }
}

const isLive = (call: LoggedCall, at: number): boolean => (call.endedAt ?? Infinity) > at;

/** When all has ended, nobody holds a slot or a place in line. */
export function checkCounters(findings: Findings, states: readonly StateRow[]): void {
  const held = states.filter((state) => state.activeRuns !== 0 || state.queuedRuns !== 0);
  findings.expect(
    held.length === 0,
    () => `the counters of ended tasks are not zero: ${some(held.map((one) => JSON.stringify(one)))}`,
  );
}

/** Nothing was called before it was due; two clocks are never the same to the millisecond. */
export function checkNotEarly(findings: Findings, calls: readonly LoggedCall[], toleranceMs = 50): void {
  const early = calls.filter((call) => call.startedAt < call.due * 1000 - toleranceMs);
  findings.expect(
    early.length === 0,
    () => `called early: ${some(early.map((call) => `${call.runId} at ${call.startedAt}`))}`,
  );
}

/** A call counts as punctual if it came so soon after it was due. */
const NORMAL_MS = 3_000;
/** Seconds in a row that must have been punctual. */
const STEADY = 3;

/**
 * I6: how long after the fault was over every task's due seconds were called in time again, as the target saw it; undefined: not
 * within what was seen.
 */
export function recoveryOf(
  tasks: readonly Watched[],
  calls: readonly LoggedCall[],
  overAt: number,
  last: number,
): number | undefined {
  const punctual = new Set(
    calls
      .filter((call) => call.attempt === 1 && call.startedAt - call.due * 1000 <= NORMAL_MS)
      .map((call) => call.runId),
  );
  const isSteady = (from: number) =>
    tasks.every((task) =>
      dueSeconds(task, from, from + STEADY - 1).every((second) => punctual.has(`${second}-${task.id}`)),
    );
  for (let second = Math.ceil(overAt / 1000); second + STEADY <= last; second++) {
    if (isSteady(second)) return second - overAt / 1000;
  }
  return undefined;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

const some = (all: readonly (string | number)[]): string =>
  `${all.slice(0, 5).join(', ')}${all.length > 5 ? ` and ${all.length - 5} more` : ''}`;
