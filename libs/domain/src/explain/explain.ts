import { firstFireAt } from '../plan/index.js';
import { clockChangeAt, type Schedule, transitionNote } from '../schedule/index.js';
import { explainRow } from './explain-row.js';
import type { ExplainFacts, Explanation, RunFact } from './explanation.js';
import { shown } from './shown.js';

/** Rows speak first, then the switch, then the schedule with its clock changes, then the time the task is in force. */
export function explain<Run extends RunFact>(facts: ExplainFacts<Run>): Explanation<Run> {
  const row = facts.run ?? (covers(facts) ? facts.gap : null);
  if (row !== null) return explainRow(row, facts);
  const { schedule } = facts;
  if (schedule === null) return { answer: 'NOT_DUE', detail: 'The task has no schedule: it runs on demand only.' };
  if (!facts.enabled) return whileDisabled(facts, schedule);
  return schedule.every === undefined ? onGrid(facts, schedule) : offGrid(facts, schedule.every);
}

/** A second from before the task was disabled that its schedule does not have would not have been due anyway. */
function whileDisabled({ at, changedAt }: ExplainFacts, schedule: Schedule): Explanation<never> {
  if (schedule.every === undefined && at < changedAt && !schedule.matches(at))
    return { answer: 'NOT_DUE', detail: 'The schedule has no due second here; the task has been disabled since.' };
  return { answer: 'DISABLED', detail: 'The task is disabled: nothing is due until it is enabled.' };
}

/** Only due seconds belong to a gap; `@every` counts from the gap's first. */
function covers({ at, gap, schedule }: ExplainFacts): boolean {
  if (gap === null || gap.missedFrom === null || at < gap.missedFrom || at > gap.scheduledTime) return false;
  const every = schedule?.every;
  return every === undefined ? (schedule?.matches(at) ?? false) : (at - gap.missedFrom) % every === 0;
}

function onGrid(facts: ExplainFacts, schedule: Schedule): Explanation<never> {
  const { at } = facts;
  const change = clockChangeAt(schedule, at);
  if (change !== undefined && !change.fires) {
    const answer = change.kind === 'gap' ? 'DST_GAP' : 'DST_FOLD';
    return { answer, detail: transitionNote(schedule, at) ?? '', ...nextDue(facts, schedule) };
  }
  if (!schedule.matches(at)) return notDue(facts, schedule);
  return outOfForce(facts, schedule) ?? notYet(facts) ?? withoutTrace(facts);
}

function notDue(facts: ExplainFacts, schedule: Schedule): Explanation<never> {
  const next = nextDue(facts, schedule);
  const then = next.nextDue === undefined ? 'none follows' : `the next one is ${shown(next.nextDue)}`;
  return { answer: 'NOT_DUE', detail: `The schedule has no due second here; ${then}.`, ...next };
}

/** Due by the schedule, at a time the task is not there for. */
function outOfForce(facts: ExplainFacts, schedule: Schedule): Explanation<never> | null {
  const { at, createdAt, startAt, endAt } = facts;
  const reason =
    at < Math.floor(createdAt)
      ? `The task did not exist yet: it was created at ${shown(createdAt)}.`
      : startAt !== null && at < startAt
        ? `The task starts at ${shown(startAt)} (start_at).`
        : endAt !== null && at > endAt
          ? `The task ended at ${shown(endAt)} (end_at).`
          : null;
  return reason === null ? null : { answer: 'DISABLED', detail: reason, ...nextDue(facts, schedule) };
}

function notYet({ at, now, nextFireAt }: ExplainFacts): Explanation<never> | null {
  if (at > now)
    return { answer: 'NOT_DUE', detail: 'Not yet: this second is still to come and will be due.', nextDue: at };
  if (nextFireAt === null || at < nextFireAt) return null;
  return {
    answer: 'NOT_DUE',
    detail: 'Not yet: the second has come, the scheduler is about to decide it.',
    nextDue: at,
  };
}

/** Due, past, and nothing is on record: its row was deleted, or somebody changed the task since, or the row got lost. */
function withoutTrace({ at, changedAt, forgottenBefore }: ExplainFacts): Explanation<never> {
  if (at < (forgottenBefore ?? -Infinity)) {
    const since = shown(Math.ceil(forgottenBefore ?? at));
    return { answer: 'FORGOTTEN', detail: `The second was due; runs from before ${since} are not all kept.` };
  }
  if (changedAt <= at) return { answer: 'MISSED', detail: 'The second was due, but no run of it is on record.' };
  const detail = `The task was disabled or had another schedule then; it was last changed at ${shown(changedAt)}.`;
  return { answer: 'DISABLED', detail };
}

/** `@every` counts from its previous fire: only what is planned says what comes. */
function offGrid({ at, nextFireAt, endAt }: ExplainFacts, every: number): Explanation<never> {
  if (nextFireAt === null) return { answer: 'NOT_DUE', detail: 'The task did not fire here, and nothing is planned.' };
  const due = nextFireAt + Math.max(0, Math.ceil((at - nextFireAt) / every)) * every;
  if (due > (endAt ?? Infinity)) return { answer: 'NOT_DUE', detail: 'The task ends before (end_at).' };
  const detail =
    due === at ? 'Not yet: this second is planned.' : `The task did not fire here; it will at ${shown(due)}.`;
  return { answer: 'NOT_DUE', detail, nextDue: due };
}

function nextDue({ at, startAt, endAt }: ExplainFacts, schedule: Schedule): Pick<Explanation, 'nextDue'> {
  const next = firstFireAt(schedule, at, startAt ?? undefined, endAt ?? undefined);
  return next === null ? {} : { nextDue: next };
}
