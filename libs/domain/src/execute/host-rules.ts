/** What a worker knows of one target host. */
export interface HostLoad {
  /** Slots it has, or is about to have. */
  held: number;
  /** How long a call of it takes, as far as can be said. */
  callMs: number;
  /** Whether it is known to answer fast, and nothing it is asked now says otherwise. */
  isQuick: boolean;
  /** Calls that its rate allows now; Infinity without a rate. */
  tokens: number;
}

export interface HostRules {
  /** Most slots one host has. */
  most: number;
  /** Whether it also has to leave as many slots free as it has. */
  shares: boolean;
  /** Calls per second to one host; 0 is any number. */
  rate: number;
}

/** A call that takes no longer gives its slot back before anybody notices that it was gone. */
export const QUICK_MS = 250;
/** How many slots a quick host may have for each one that it leaves free, beside the last. */
const QUICK_PARTS = 4;

/**
 * Whether another run of the host may start, with that many slots free. A host that shares takes a slot only while it has
 * fewer than are free: alone it gets half of them, n busy hosts get one part in n + 1 each, and one part always stays
 * free for whoever comes next, however many of them hang. A quick one gets four fifths alone: should it hang the next moment, the
 * others still have the last fifth.
 */
export function mayStart({ held, tokens, isQuick }: HostLoad, free: number, { most, shares }: HostRules): boolean {
  const share = isQuick ? Math.max(free, (free - 1) * QUICK_PARTS) : free;
  return free > 0 && tokens >= 1 && held < most && (!shares || held < share);
}

/** A host whose calls take no longer has the next run called before another worker could have fetched it. */
export const SWIFT_MS = 50;

/** About how long a run may wait claimed: before it has been, another worker could have had it. */
const CLAIMED_MS = 150;

/** Whether another run of the host may be claimed although it has no slot yet: it gets one that its host gives back, and soon. */
export function mayWaitClaimed({ held, callMs, isQuick, tokens }: HostLoad, { most }: HostRules): boolean {
  return isQuick && callMs <= SWIFT_MS && tokens >= 1 && held * callMs < most * CLAIMED_MS;
}

/** For each slot; a claim takes milliseconds, in which hosts that answer at once go through some. */
const MOST_PER_SLOT = 6;
/** With many slots they would take the room of results. */
const MOST_CLAIMED = 1_000;
/** They are given back after a quarter of a second: half of the slots may hang, and all the same they have started by then. */
const STARTED_MS = 100;

/** How many runs may wait claimed in a worker whose calls take about that long: no more than all its slots start soon. */
export function mostClaimed(slots: number, callMs: number): number {
  const perSlot = callMs > 0 ? Math.min(MOST_PER_SLOT, STARTED_MS / callMs) : MOST_PER_SLOT;
  return Math.min(MOST_CLAIMED, Math.floor(slots * perSlot));
}

/** How many runs of a host that cannot start another one now will have started by then, about. */
export function startableWithin(ms: number, load: HostLoad, free: number, rules: HostRules): number {
  const width = rules.shares ? Math.min(rules.most, Math.max(load.held, free)) : rules.most;
  // Little's law: so many at once, each so long.
  const bySlots = load.callMs > 0 ? (ms * width) / load.callMs : Infinity;
  const byRate = rules.rate > 0 ? load.tokens + (ms * rules.rate) / 1000 : Infinity;
  return Math.floor(Math.min(bySlots, byRate));
}

/** Longest a run waits in a worker for its host, or for a slot. */
export const PATIENCE_MS = 1_000;

/**
 * How long a run waits in a worker that has no free slot, when the last one came free that long ago. Where nothing has ended
 * for a while nothing is about to, and another worker may be idle.
 */
export const patienceFor = (sinceLastFreeMs: number): number =>
  sinceLastFreeMs < PATIENCE_MS ? PATIENCE_MS : PATIENCE_MS / 4;

/** Runs that found no slot come back a moment later: the worker that gives a job back would be the first to get it again. */
export const ELSEWHERE_MS = 50;
/** Longest the queue's job waits with it: while it does, other jobs may not come through. */
const HOLD_MS = 250;

export interface LinePlan {
  /** The first so many wait here without their job. */
  parked: number;
  /** The first so many wait here at all; the others are put off. */
  kept: number;
}

/**
 * What becomes of the line of a host that cannot start another run now. A host that is fast is waited for with the job, so
 * that a backlog stays in the queue; of one that is slow a few runs are parked, so that no slot of it lies idle.
 */
export function planLine(load: HostLoad, free: number, rules: HostRules, places: number): LinePlan {
  const parked = Math.min(places, startableWithin(PATIENCE_MS, load, free, rules));
  return { parked, kept: Math.max(parked, startableWithin(HOLD_MS, load, free, rules)) };
}

const SOONEST_MS = { least: 250, most: 1_000 };
const LATEST_MS = 5_000;
/** Bounds how often a long backlog of a host that hangs is looked at. */
const APART_MS = 10;

/**
 * When runs that were put off come back: about when the host may have room or tokens for them, and one batch after the
 * other. `previous` is when the last batch of the host comes back.
 */
export function comeBackAt(
  now: number,
  previous: number,
  { callMs }: HostLoad,
  { rate }: HostRules,
  runs: number,
): number {
  const soonest = now + Math.min(Math.max(callMs / 4, SOONEST_MS.least), SOONEST_MS.most);
  const apart = rate > 0 ? Math.max(APART_MS, (runs * 1000) / rate) : APART_MS;
  return Math.min(Math.max(soonest, Math.max(now, previous) + apart), now + LATEST_MS);
}
