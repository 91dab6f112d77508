import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Platform } from '#pipeline';
import { openStack, type Stack } from '#testing';
import type { Definition, Ending } from '../model/reference-task.js';
import { Stored } from '../model/stored.js';
import { readyPlatform } from '../support/product.js';
import { Story } from '../support/story.js';

// docs/policies.md has these titles as its tables; libs/domain/src/admit/policies-doc.spec.ts compares them.
let stack: Stack;
let platform: Platform;
let product: Stored;

beforeAll(async () => {
  stack = await openStack();
  platform = await readyPlatform(stack);
  product = new Stored(platform);
});

afterAll(async () => {
  await platform?.close();
  await stack?.close();
});

/** A task of these policies, one run at a time under QUEUE unless said otherwise. */
const task = (fields: Partial<Definition> = {}) => Story.of(product, fields);

describe('overlap_action', () => {
  it('ALLOW leaves it to the other rules that an earlier run is unfinished', async () => {
    const story = await task({ maxConcurrency: 2 });
    await story.tick(3);
    await story.tells('SCHEDULED', 'SCHEDULED', 'QUEUED');
  });

  it('SKIP skips a tick while an earlier run is unfinished, and names that run', async () => {
    const story = await task({ overlapAction: 'SKIP', maxConcurrency: 5 });
    await story.tick(2);
    await story.start(1);
    await story.tick();
    await story.tells('RUNNING', 'OVERLAP for 1', 'OVERLAP for 1');
  });

  it('SKIP takes a run that will be retried, or was asked for on demand, for unfinished as well', async () => {
    const story = await task({ overlapAction: 'SKIP', maxAttempts: 2 });
    await story.tick();
    await story.run(1, 'failure');
    await story.tick();
    await story.run(1);
    await story.demand();
    await story.tick();
    await story.tells('SUCCESS', 'OVERLAP for 1', 'SCHEDULED', 'OVERLAP for 3');
  });

  it('SKIP runs the tick after the earlier run has ended', async () => {
    const story = await task({ overlapAction: 'SKIP' });
    await story.tick(2);
    await story.run(1);
    await story.tick();
    await story.tells('SUCCESS', 'OVERLAP for 1', 'SCHEDULED');
  });

  it('CANCEL_PREV cancels every unfinished run, whether it runs, waits or retries, and takes their place', async () => {
    const story = await task({ overlapAction: 'ALLOW', maxConcurrency: 2, maxAttempts: 2 });
    await story.tick(4);
    await story.run(1, 'failure');
    await story.start(2);
    await story.change({ overlapAction: 'CANCEL_PREV' });
    await story.tells('RETRYING', 'RUNNING', 'QUEUED', 'QUEUED');
    await story.tick();
    await story.tells('CANCELED', 'CANCELED', 'CANCELED', 'CANCELED', 'SCHEDULED');
  });

  it('CANCEL_PREV makes the result of an execution it replaced change nothing', async () => {
    const story = await task({ overlapAction: 'CANCEL_PREV' });
    await story.tick();
    await story.start(1);
    await story.tick();
    expect(await story.end(1)).toBe(false);
    await story.tells('CANCELED', 'SCHEDULED');
  });

  it('CANCEL_PREV runs a tick that finds nothing unfinished, and cancels nobody', async () => {
    const story = await task({ overlapAction: 'CANCEL_PREV' });
    await story.tick();
    await story.run(1);
    await story.tick();
    await story.tells('SUCCESS', 'SCHEDULED');
  });

  it('PARALLEL runs beyond max_concurrency while an earlier run is unfinished', async () => {
    const story = await task({ overlapAction: 'PARALLEL', maxConcurrency: 1 });
    await story.tick(3);
    await story.tells('SCHEDULED', 'SCHEDULED', 'SCHEDULED');
  });
});

describe('failure_action', () => {
  it('RUN_NEW runs the tick after a failure with tick_attempt 1', async () => {
    const story = await task({ failureAction: 'RUN_NEW' });
    await story.tick();
    await story.run(1, 'failure');
    await story.tick();
    await story.tells('FAILED', 'SCHEDULED');
  });

  it('SKIP skips exactly one tick, names the failed run, and runs the next with its tick_attempt + 2', async () => {
    const story = await task({ failureAction: 'SKIP' });
    await story.tick();
    await story.run(1, 'failure');
    await story.tick(2);
    await story.run(3, 'failure');
    await story.tick(2);
    await story.tells('FAILED', 'FAILURE for 1 #2', 'FAILED #3', 'FAILURE for 3 #4', 'SCHEDULED #5');
  });

  it('RETRY runs the next tick with the tick_attempt of the failed run + 1, failure after failure', async () => {
    const story = await task({ failureAction: 'RETRY' });
    for (const run of [1, 2, 3]) {
      await story.tick();
      await story.run(run, 'failure');
    }
    await story.tick();
    await story.tells('FAILED', 'FAILED #2', 'FAILED #3', 'SCHEDULED #4');
  });

  it('a timeout, a refusal, a lost worker and a cancelled execution are failures, too', async () => {
    for (const ending of ['timeout', 'refusal', 'interruption'] as const) {
      const story = await task({ failureAction: 'SKIP' });
      await story.tick();
      await story.run(1, ending);
      await story.tick(2);
      await story.tells(ending === 'timeout' ? 'TIMEOUT' : 'FAILED', 'FAILURE for 1 #2', 'SCHEDULED #3');
    }
    const lost = await task({ failureAction: 'SKIP' });
    await lost.tick();
    await lost.start(1);
    await lost.loseWorkers();
    await lost.tick();
    await lost.tells('FAILED', 'MISSED #2', 'FAILURE for 1 #2', 'SCHEDULED #3', 'QUEUED #3');
    const canceled = await task({ failureAction: 'SKIP' });
    await canceled.tick();
    await canceled.start(1);
    await canceled.cancel(1);
    await canceled.tick(2);
    await canceled.tells('CANCELED', 'FAILURE for 1 #2', 'SCHEDULED #3');
  });

  it('a run that was cancelled before it started is no failure', async () => {
    const story = await task({ failureAction: 'SKIP' });
    await story.tick();
    await story.cancel(1);
    await story.tick();
    await story.tells('CANCELED', 'SCHEDULED');
  });

  it('a run that waits for a person is no failure', async () => {
    const story = await task({ failureAction: 'SKIP', needManual: true });
    await story.tick();
    await story.run(1, 'failure');
    await story.tick();
    await story.tells('PENDING', 'SCHEDULED');
  });

  it('an attempt that will be retried is no failure yet', async () => {
    const story = await task({ failureAction: 'SKIP', maxAttempts: 2, maxConcurrency: 0 });
    await story.tick();
    await story.run(1, 'failure');
    await story.tick();
    await story.run(1, 'failure');
    await story.tick();
    await story.tells('FAILED', 'SCHEDULED', 'FAILURE for 1 #2');
  });

  it('a success starts again at tick_attempt 1', async () => {
    for (const failureAction of ['SKIP', 'RETRY'] as const) {
      const story = await task({ failureAction });
      await story.tick();
      await story.run(1, 'failure');
      await story.tick(2);
      await story.run(failureAction === 'SKIP' ? 3 : 2);
      if (failureAction === 'RETRY') await story.run(3);
      await story.tick();
      await (failureAction === 'SKIP'
        ? story.tells('FAILED', 'FAILURE for 1 #2', 'SUCCESS #3', 'SCHEDULED')
        : story.tells('FAILED', 'SUCCESS #2', 'SUCCESS #2', 'SCHEDULED'));
    }
  });

  it('the run that was scheduled last counts, whichever ended last', async () => {
    const story = await task({ failureAction: 'RETRY', maxConcurrency: 0 });
    await story.tick(2);
    await story.run(2, 'failure');
    await story.run(1);
    await story.tick();
    await story.tells('SUCCESS', 'FAILED', 'SCHEDULED #2');
  });
});

describe('concurrency_policy', () => {
  it('QUEUE lets a run wait while max_concurrency runs hold slots', async () => {
    const story = await task({ maxConcurrency: 2 });
    await story.tick(4);
    await story.start(1);
    await story.tells('RUNNING', 'SCHEDULED', 'QUEUED', 'QUEUED');
  });

  it('QUEUE lets the oldest waiting run in when a slot comes free, however the run before it ended', async () => {
    const endings: Record<Ending, string> = {
      ...{ success: 'SUCCESS', failure: 'FAILED', refusal: 'FAILED', timeout: 'TIMEOUT', interruption: 'FAILED' },
    };
    for (const [ending, state] of Object.entries(endings)) {
      const story = await task();
      await story.tick(3);
      await story.run(1, ending as Ending);
      await story.tells(state, 'SCHEDULED', 'QUEUED');
    }
    const canceled = await task();
    await canceled.tick(3);
    await canceled.cancel(1);
    await canceled.tells('CANCELED', 'SCHEDULED', 'QUEUED');
  });

  it('QUEUE lets the oldest waiting run in when the worker of the run before it is lost', async () => {
    const story = await task();
    await story.tick(3);
    await story.start(1);
    await story.loseWorkers();
    await story.tells('FAILED', 'SCHEDULED', 'QUEUED');
  });

  it('QUEUE lets the oldest waiting run in when the callback of the run before it comes, or its deadline passes', async () => {
    for (const [ending, state] of [
      ['success', 'SUCCESS'],
      ['failure', 'FAILED'],
    ] as const) {
      const story = await task();
      await story.tick(3);
      await story.start(1);
      await story.accept(1);
      await story.tells('WAITING_CALLBACK', 'QUEUED', 'QUEUED');
      await story.callBack(1, ending);
      await story.tells(state, 'SCHEDULED', 'QUEUED');
    }
    const silent = await task();
    await silent.tick(3);
    await silent.start(1);
    await silent.accept(1);
    await silent.loseWorkers();
    await silent.tells('TIMEOUT', 'SCHEDULED', 'QUEUED');
  });

  it('QUEUE closes the line behind a waiting run that is cancelled', async () => {
    const story = await task();
    await story.tick(4);
    await story.cancel(2);
    await story.run(1);
    await story.tells('SUCCESS', 'CANCELED', 'SCHEDULED', 'QUEUED');
  });

  it('QUEUE skips a run that finds queue_limit others waiting (QUEUE_FULL), and names the run in the way', async () => {
    const story = await task({ queueLimit: 2 });
    await story.tick(4);
    await story.tells('SCHEDULED', 'QUEUED', 'QUEUED', 'QUEUE_FULL for 1');
  });

  it('QUEUE with queue_limit 0 lets nobody wait', async () => {
    const story = await task({ queueLimit: 0 });
    await story.tick(2);
    await story.tells('SCHEDULED', 'QUEUE_FULL for 1');
  });

  it('SKIP skips a run that finds no free slot (CONCURRENCY), and names the run in the way', async () => {
    const story = await task({ concurrencyPolicy: 'SKIP' });
    await story.tick(2);
    await story.run(1);
    await story.tick();
    await story.tells('SUCCESS', 'CONCURRENCY for 1', 'SCHEDULED');
  });

  it('PARALLEL runs, however many slots are held', async () => {
    const story = await task({ concurrencyPolicy: 'PARALLEL' });
    await story.tick(3);
    await story.tells('SCHEDULED', 'SCHEDULED', 'SCHEDULED');
  });

  it('max_concurrency 0 is no limit, whatever the policy', async () => {
    for (const concurrencyPolicy of ['QUEUE', 'SKIP', 'PARALLEL'] as const) {
      const story = await task({ concurrencyPolicy, maxConcurrency: 0 });
      await story.tick(3);
      await story.tells('SCHEDULED', 'SCHEDULED', 'SCHEDULED');
    }
  });

  it('max_concurrency n gives out n slots', async () => {
    const story = await task({ concurrencyPolicy: 'SKIP', maxConcurrency: 3 });
    await story.tick(4);
    await story.run(2);
    await story.tick(2);
    await story.tells('SCHEDULED', 'SUCCESS', 'SCHEDULED', 'CONCURRENCY for 3', 'SCHEDULED', 'CONCURRENCY for 5');
  });

  it('a run that will be retried keeps its slot', async () => {
    const story = await task({ maxAttempts: 2 });
    await story.tick(2);
    await story.run(1, 'failure');
    await story.tells('RETRYING', 'QUEUED');
    await story.run(1, 'failure');
    await story.tells('FAILED', 'SCHEDULED');
  });

  it('a run that waits for a person gives its slot back', async () => {
    const story = await task({ needManual: true });
    await story.tick(2);
    await story.run(1, 'failure');
    await story.tells('PENDING', 'SCHEDULED');
  });
});

describe('combinations', () => {
  it('overlap is asked before failure, and the failure is still to be skipped for afterwards', async () => {
    const story = await task({ overlapAction: 'SKIP', failureAction: 'SKIP' });
    await story.tick();
    await story.run(1, 'failure');
    await story.demand();
    await story.tick();
    await story.cancel(2);
    await story.tick(2);
    await story.tells('FAILED', 'CANCELED', 'OVERLAP for 2 #2', 'FAILURE for 1 #2', 'SCHEDULED #3');
  });

  it('overlap is asked before concurrency', async () => {
    const story = await task({ overlapAction: 'SKIP', concurrencyPolicy: 'SKIP' });
    await story.tick(2);
    await story.tells('SCHEDULED', 'OVERLAP for 1');
  });

  it('failure is asked before concurrency', async () => {
    const story = await task({ failureAction: 'SKIP', concurrencyPolicy: 'SKIP' });
    await story.tick();
    await story.run(1, 'failure');
    await story.demand();
    await story.tick(2);
    await story.tells('FAILED', 'SCHEDULED', 'FAILURE for 1 #2', 'CONCURRENCY for 2 #2');
  });

  it('CANCEL_PREV cancels nobody for a tick that is skipped for a failure', async () => {
    const story = await task({ overlapAction: 'CANCEL_PREV', failureAction: 'SKIP' });
    await story.tick();
    await story.run(1, 'failure');
    await story.demand();
    await story.tick();
    await story.tells('FAILED', 'SCHEDULED', 'FAILURE for 1 #2');
    await story.tick();
    await story.tells('FAILED', 'CANCELED', 'FAILURE for 1 #2', 'SCHEDULED #3');
  });

  it('overlap PARALLEL passes the limit, but not a failure', async () => {
    const story = await task({ overlapAction: 'PARALLEL', failureAction: 'SKIP' });
    await story.tick();
    await story.run(1, 'failure');
    await story.demand();
    await story.tick(2);
    await story.tells('FAILED', 'SCHEDULED', 'FAILURE for 1 #2', 'SCHEDULED #3');
  });

  it('overlap PARALLEL passes those who wait in line', async () => {
    const story = await task({ overlapAction: 'ALLOW' });
    await story.tick(2);
    await story.change({ overlapAction: 'PARALLEL' });
    await story.tick();
    await story.tells('SCHEDULED', 'QUEUED', 'SCHEDULED');
  });

  it('what runs beyond the limit holds slots: nobody is let in until their number is below it', async () => {
    const story = await task();
    await story.tick(2);
    await story.change({ overlapAction: 'PARALLEL' });
    await story.tick();
    await story.run(1);
    await story.tells('SUCCESS', 'QUEUED', 'SCHEDULED');
    await story.run(3);
    await story.tells('SUCCESS', 'SCHEDULED', 'SUCCESS');
  });

  it('a run that waits in line carries the tick_attempt it was admitted with', async () => {
    const story = await task({ failureAction: 'RETRY' });
    await story.tick();
    await story.run(1, 'failure');
    await story.demand();
    await story.tick();
    await story.run(2);
    await story.tells('FAILED', 'SUCCESS', 'SCHEDULED #2');
  });

  it('with catch-up FULL each tick that comes back sees those before it', async () => {
    const story = await task({ catchUpMode: 'FULL', queueLimit: 2 });
    await story.tickAfter(5);
    await story.tells('SCHEDULED', 'QUEUED', 'QUEUED', 'QUEUE_FULL for 1', 'QUEUE_FULL for 1');
  });

  it('with catch-up FULL and failure SKIP exactly one of the ticks that come back is skipped', async () => {
    const story = await task({ catchUpMode: 'FULL', failureAction: 'SKIP', maxConcurrency: 0 });
    await story.tick();
    await story.run(1, 'failure');
    await story.tickAfter(5);
    await story.tells('FAILED', 'FAILURE for 1 #2', ...Array<string>(4).fill('SCHEDULED #3'));
  });

  it('with catch-up FULL and CANCEL_PREV only the newest of the ticks that come back is left', async () => {
    const story = await task({ catchUpMode: 'FULL', overlapAction: 'CANCEL_PREV' });
    await story.tick();
    await story.tickAfter(5);
    await story.tells(...Array<string>(5).fill('CANCELED'), 'SCHEDULED');
  });

  it('what was MISSED takes no slot, and stands in nobody’s way', async () => {
    const story = await task({ overlapAction: 'SKIP' });
    await story.tickAfter(10);
    await story.tells('MISSED', 'SCHEDULED', 'OVERLAP for 2', 'OVERLAP for 2');
  });
});

describe('runs on demand', () => {
  it('run while others are unfinished, whatever overlap_action says, and cancel nobody', async () => {
    for (const overlapAction of ['SKIP', 'CANCEL_PREV'] as const) {
      const story = await task({ overlapAction, maxConcurrency: 0 });
      await story.tick();
      await story.demand();
      await story.tells('SCHEDULED', 'SCHEDULED');
    }
  });

  it('run after a failure, whatever failure_action says, with tick_attempt 1', async () => {
    for (const failureAction of ['SKIP', 'RETRY'] as const) {
      const story = await task({ failureAction });
      await story.tick();
      await story.run(1, 'failure');
      await story.demand();
      await story.tells('FAILED', 'SCHEDULED');
    }
  });

  it('ask for a slot like any other run', async () => {
    const full: [Partial<Definition>, string][] = [
      [{ concurrencyPolicy: 'QUEUE' }, 'QUEUED'],
      [{ concurrencyPolicy: 'QUEUE', queueLimit: 0 }, 'QUEUE_FULL for 1'],
      [{ concurrencyPolicy: 'SKIP' }, 'CONCURRENCY for 1'],
      [{ concurrencyPolicy: 'PARALLEL' }, 'SCHEDULED'],
    ];
    for (const [fields, expected] of full) {
      const story = await task(fields);
      await story.tick();
      await story.demand();
      await story.tells('SCHEDULED', expected);
    }
  });

  it('are not let past ticks by overlap PARALLEL', async () => {
    const story = await task({ overlapAction: 'PARALLEL' });
    await story.tick();
    await story.demand();
    await story.tells('SCHEDULED', 'QUEUED');
  });

  it('wait in one line with the ticks, by the time they were scheduled for', async () => {
    const story = await task();
    await story.tick(2);
    await story.demand();
    await story.demand();
    await story.tick();
    await story.tells('SCHEDULED', 'QUEUED', 'QUEUED', 'QUEUED', 'QUEUED');
    for (const run of [1, 2, 3, 4, 5]) await story.run(run);
    await story.tells(...Array<string>(5).fill('SUCCESS'));
  });
});

describe('changing a task', () => {
  it('raising max_concurrency lets those who wait in at once, oldest first', async () => {
    const story = await task();
    await story.tick(4);
    await story.change({ maxConcurrency: 3 });
    await story.tells('SCHEDULED', 'SCHEDULED', 'SCHEDULED', 'QUEUED');
  });

  it('lowering max_concurrency lets go on what has a slot, and lets nobody in until there is one again', async () => {
    const story = await task({ maxConcurrency: 2 });
    await story.tick(3);
    await story.change({ maxConcurrency: 1 });
    await story.run(1);
    await story.tells('SUCCESS', 'SCHEDULED', 'QUEUED');
    await story.run(2);
    await story.tells('SUCCESS', 'SUCCESS', 'SCHEDULED');
  });

  it('max_concurrency 0 and PARALLEL let everybody in who waits', async () => {
    for (const policies of [{ maxConcurrency: 0 }, { concurrencyPolicy: 'PARALLEL' as const }]) {
      const story = await task();
      await story.tick(3);
      await story.change(policies);
      await story.tells('SCHEDULED', 'SCHEDULED', 'SCHEDULED');
    }
  });

  it('from QUEUE to SKIP keeps those who wait', async () => {
    const story = await task();
    await story.tick(2);
    await story.change({ concurrencyPolicy: 'SKIP' });
    await story.tick();
    await story.run(1);
    await story.tells('SUCCESS', 'SCHEDULED', 'CONCURRENCY for 1');
  });

  it('disabling keeps those who wait, and they are let in as slots come free', async () => {
    const story = await task();
    await story.tick(2);
    await story.disable();
    await story.tick();
    await story.tells('SCHEDULED', 'QUEUED');
    await story.run(1);
    await story.run(2);
    await story.tells('SUCCESS', 'SUCCESS');
  });

  it('deleting cancels everything that is unfinished', async () => {
    const story = await task({ maxConcurrency: 3, maxAttempts: 2 });
    await story.tick(4);
    await story.run(1, 'failure');
    await story.start(2);
    await story.delete();
    expect(await story.end(2)).toBe(false);
    await story.tells('CANCELED', 'CANCELED', 'CANCELED', 'CANCELED');
  });
});
