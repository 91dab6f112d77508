import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#database';
import type { CallOutcome } from '#domain';
import { TargetClient } from '#outbound';
import { closeRuns, type Ended, newRuns, takeRuns, type Taken } from '../support/least-statements.js';
import { followParent } from './call-target.js';

/** Takes runs, calls, and closes them in groups; the next ones are taken while calls are under way. */
const [databaseUrl, target, slots] = process.argv.slice(2);
const TAKEN_AT_ONCE = 100;
const CLOSED_AT_ONCE = 400;
const LOOK_AGAIN_MS = 5;

const database = openDatabase({ url: databaseUrl, poolSize: 6, timeoutMs: 30_000 });
const client = new TargetClient({
  ...{ allowLoopback: true, allow: [], deny: [] },
  ...{ maxConnectionsPerHost: Number(slots), userAgent: 'bench' },
});

let known: string[] = [];
let lastKnown = '';
const ready: Taken[] = [];
const ended: Ended[] = [];
let calling = 0;
let isTaking = false;
let isClosing = false;
const whenClosed: (() => void)[] = [];

async function take(): Promise<void> {
  if (isTaking || ready.length > Number(slots)) return;
  isTaking = true;
  if (known.length === 0) known = await newRuns(database, lastKnown);
  lastKnown = known.at(-1) ?? lastKnown;
  const ids = known.splice(0, TAKEN_AT_ONCE);
  if (ids.length > 0) ready.push(...(await takeRuns(database, ids)));
  isTaking = false;
  start();
  if (ids.length > 0) void take();
}

function start(): void {
  while (calling < Number(slots) && ready.length > 0) void carryOut(ready.shift()!);
}

async function carryOut(run: Taken): Promise<void> {
  calling++;
  const headers = {
    'content-type': 'application/json',
    'x-punctual-run-id': run.id,
    'x-punctual-attempt': '1',
    'x-punctual-scheduled-time': run.at,
  };
  const call = { method: 'POST', url: target, headers, body: `{"run":"${run.id}"}`, timeoutMs: 10_000 };
  const outcome = await client.call(call);
  calling--;
  start();
  void take();
  ended.push(endOf(run, call, outcome));
  void close();
}

function endOf(run: Taken, call: object, outcome: CallOutcome): Ended {
  if (outcome.kind !== 'response' || outcome.status !== 200) throw new Error(`a call ended as ${outcome.kind}`);
  const { status, headers, body } = outcome;
  const response = JSON.stringify({ status, headers, body });
  return { ...run, endedAt: new Date(), status, result: body, request: JSON.stringify(call), response };
}

/** A group that is full at once, others when nothing is under way that could join them. */
async function close(): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  while (ended.length >= CLOSED_AT_ONCE || (ended.length > 0 && calling === 0)) {
    await closeRuns(database, ended.splice(0, CLOSED_AT_ONCE));
  }
  isClosing = false;
  if (ended.length + calling + ready.length === 0) for (const tell of whenClosed.splice(0)) tell();
}

process.on('message', ({ re }: { re: number }) => {
  whenClosed.push(() => process.send?.({ re }));
  void close();
});
followParent();
process.send?.({ ready: true });
for (;;) {
  await take();
  await pause(LOOK_AGAIN_MS);
}
