import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONCURRENCY_POLICIES, FAILURE_ACTIONS, OVERLAP_ACTIONS } from '#domain';
import type { Platform } from '#pipeline';
import { openStack, type Stack } from '#testing';
import type { Definition } from '../model/reference-task.js';
import { Stored } from '../model/stored.js';
import { type PolicyRow, policyTable } from '../support/policy-table.js';
import { readyPlatform } from '../support/product.js';
import { Story } from '../support/story.js';

const TABLE = policyTable();
const STATES: Record<string, string> = { runs: 'SCHEDULED', replaces: 'SCHEDULED', waits: 'QUEUED' };

/** What `Story` tells of the tick; `blockedBy` is the run in its way if it is skipped. */
function shown(cell: string, blockedBy: number): string {
  const [word, ...rest] = cell.split(' ');
  return [STATES[word] ?? `${word} for ${word === 'FAILURE' ? 1 : blockedBy}`, ...rest].join(' ');
}

/** What has become of the run that was RUNNING. */
const earlier = (cell: string) => (cell.startsWith('replaces') ? 'CANCELED' : 'RUNNING');

describe('a tick under every combination of policies', () => {
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

  it('has a line for each of them in docs/policies.md', () => {
    const all = OVERLAP_ACTIONS.flatMap((overlap) =>
      FAILURE_ACTIONS.flatMap((failure) => CONCURRENCY_POLICIES.map((concurrency) => [overlap, failure, concurrency])),
    );
    expect(TABLE.map(({ overlap, failure, concurrency }) => [overlap, failure, concurrency])).toEqual(all);
  });

  it.each(TABLE)(
    'overlap $overlap, failure $failure, concurrency $concurrency: $beside; $besideFull; $afterFailure; $afterFailureFull',
    async (row: PolicyRow) => {
      const policies: Partial<Definition> = {
        ...{ overlapAction: row.overlap, failureAction: row.failure, concurrencyPolicy: row.concurrency },
      };
      for (const [maxConcurrency, cell] of [
        [2, row.beside],
        [1, row.besideFull],
      ] as const) {
        const story = await Story.of(product, { ...policies, maxConcurrency });
        await story.tick();
        await story.start(1);
        await story.tick();
        await story.tells(earlier(cell), shown(cell, 1));
      }

      const failed = await Story.of(product, policies);
      await failed.tick();
      await failed.run(1, 'failure');
      await failed.tick();
      await failed.tells('FAILED', shown(row.afterFailure, 1));

      const both = await Story.of(product, policies);
      await both.tick();
      await both.run(1, 'failure');
      await both.demand();
      await both.start(2);
      await both.tick();
      await both.tells('FAILED', earlier(row.afterFailureFull), shown(row.afterFailureFull, 2));
    },
  );
});
