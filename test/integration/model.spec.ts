import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import type { Platform } from '#pipeline';
import { openStack, type Stack } from '#testing';
import { definitions, opening, sequences } from '../model/commands.js';
import { finish } from '../model/finish.js';
import { Reached } from '../model/reached.js';
import { Stored } from '../model/stored.js';
import { World } from '../model/world.js';
import { readyPlatform } from '../support/product.js';

/**
 * As in jest.setup.mjs; FC_SEED=$RANDOM looks for other sequences. What fails is shrunk for four minutes at most; who is
 * not through by then has failed.
 */
const OPTIONS = {
  ...{ seed: Number(process.env.FC_SEED ?? 20_261_116), interruptAfterTimeLimit: 240_000 },
  markInterruptAsFailure: true,
};

describe('whatever happens, in whatever order, on a real database', () => {
  let stack: Stack;
  let platform: Platform;
  let product: Stored;
  /** Sequences follow one another in time, so that what one has left is in the past of the next. */
  let now = Date.parse('2026-01-05T10:00:00Z');

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    product = new Stored(platform);
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  it.each([
    ['one task', 1, 150],
    ['two tasks', 2, 60],
  ])(
    'the rows of %s are those of the rules',
    async (_title, tasks, numRuns) => {
      const several = fc.array(definitions, { minLength: tasks, maxLength: tasks });
      const seen = new Reached();
      const property = fc.asyncProperty(several, opening, sequences(24), async (given, first, commands) => {
        await product.forget();
        const world = new World((now += 86_400_000));
        for (const definition of given) await world.add(product, definition);
        for (const steps of [first, commands]) await fc.asyncModelRun(() => ({ model: world, real: product }), steps);
        seen.add(world);
        await finish(world, product);
      });
      await fc.assert(property, { ...OPTIONS, numRuns });
      seen.expectAtLeast(numRuns, 1);
    },
    300_000,
  );
});
