import { expect } from '@jest/globals';
import { mayBecome, RUN_STATUSES, type RunStatus, SLOT_STATUSES } from '#domain';
import type { Product, Row, Snapshot } from './product.js';
import type { ReferenceRun, ReferenceTask } from './reference-task.js';
import type { World } from './world.js';

/**
 * After every step: what is stored is what the reference says, and the invariants hold of the rows by themselves.
 * @param moves how often a run may have moved since the last time
 */
export async function verify(world: World, product: Product, moves = 1): Promise<void> {
  for (const task of world.tasks) {
    const before = world.seen.get(task.id);
    const after = await product.look(task.id);
    sameAsReference(task, after);
    if (after.rows.length !== before?.rows.length) everySecondOnce(task, after);
    countersAreRecounts(after);
    if (before) slotsAndOrder(task, before, after);
    if (before) movesAreDrawn(before, after, moves);
    world.seen.set(task.id, after);
  }
}

function sameAsReference(task: ReferenceTask, { rows, nextFire }: Snapshot): void {
  const expected = [...task.runs].sort(byTime);
  agree(rows.map(shown), expected.map(shown));
  expected.forEach(({ blockers }, i) => namesABlocker(rows[i], blockers));
  if (nextFire !== task.nextFire) expect(nextFire).toBe(task.nextFire);
}

const byTime = (a: ReferenceRun, b: ReferenceRun) => a.scheduledTime - b.scheduledTime || (a.id < b.id ? -1 : 1);

const shown = ({ id, trigger, status, skipReason, tickAttempt, attempt, missedCount }: Row | ReferenceRun): string =>
  `${id} ${trigger} ${skipReason ?? status} tick_attempt ${tickAttempt} attempt ${attempt} missed ${missedCount ?? 0}`;

function namesABlocker({ blockedBy }: Row, allowed: string[] | null): void {
  const fits = allowed === null ? blockedBy === null : blockedBy !== null && allowed.includes(blockedBy);
  if (!fits) expect({ blockedBy }).toEqual({ blockedBy: allowed && expect.stringMatching(allowed.join('|')) });
}

/** I1: every due second has exactly one row: a run, or a row that covers it. */
function everySecondOnce({ due }: ReferenceTask, { rows }: Snapshot): void {
  const covered = rows.filter(({ trigger }) => trigger !== 'API').flatMap(secondsOf);
  agree(covered.map(String), due.map(String));
}

function secondsOf({ scheduledTime, missedFrom, missedCount }: Row): number[] {
  const last = scheduledTime / 1000;
  const first = missedFrom === null ? last : missedFrom / 1000;
  if (missedCount !== null) expect(last - first + 1).toBe(missedCount);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function countersAreRecounts({ rows, activeRuns, queuedRuns }: Snapshot): void {
  const recounted = [rows.filter(holdsSlot).length, rows.filter(isQueued).length];
  agree([activeRuns, queuedRuns].map(String), recounted.map(String));
}

/** No run has moved but along the arrows of the table of states. */
function movesAreDrawn(before: Snapshot, after: Snapshot, moves: number): void {
  const was = new Map(before.rows.map(({ id, status }) => [id, status]));
  for (const { id, status } of after.rows) {
    const from = was.get(id);
    if (from === undefined || from === status || canReach(from, status, moves)) continue;
    expect(`${id} ${from} -> ${status}`).toBe('a move along the arrows of RUN_TRANSITIONS');
  }
}

const canReach = (from: RunStatus, to: RunStatus, moves: number): boolean =>
  moves > 0 &&
  (mayBecome(from, to) || RUN_STATUSES.some((next) => mayBecome(from, next) && canReach(next, to, moves - 1)));

/** I4: no slot is given out beyond the limit, none stays free while somebody waits, and who has waited longest goes first. */
function slotsAndOrder({ definition }: ReferenceTask, before: Snapshot, after: Snapshot): void {
  const { maxConcurrency, concurrencyPolicy, overlapAction } = definition;
  const limit = maxConcurrency === 0 || concurrencyPolicy === 'PARALLEL' ? Infinity : maxConcurrency;
  const [had, has] = [before.rows.filter(holdsSlot).length, after.rows.filter(holdsSlot).length];
  if (has > had && overlapAction !== 'PARALLEL') expect(has).toBeLessThanOrEqual(limit);
  const waiting = after.rows.filter(isQueued);
  if (waiting.length > 0) expect(has).toBeGreaterThanOrEqual(limit);
  const waited = new Set(before.rows.filter(isQueued).map(({ id }) => id));
  const released = after.rows.filter((row) => waited.has(row.id) && row.status === 'SCHEDULED');
  const latest = Math.max(...released.map((row) => row.scheduledTime));
  for (const row of waiting) if (waited.has(row.id)) expect(row.scheduledTime).toBeGreaterThanOrEqual(latest);
}

const holdsSlot = ({ status }: Row) => (SLOT_STATUSES as readonly string[]).includes(status);
const isQueued = ({ status }: Row) => status === 'QUEUED';

/** As toEqual, which costs too much to ask it tens of thousands of times. */
export function agree(got: readonly string[], wanted: readonly string[]): void {
  if (got.join('\n') !== wanted.join('\n')) expect(got).toEqual(wanted);
}
