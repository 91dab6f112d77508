import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { definitions, opening, sequences } from './commands.js';
import { finish } from './finish.js';
import { InMemory } from './in-memory.js';
import { Reached } from './reached.js';
import { World } from './world.js';

const T0 = Date.parse('2026-01-05T10:00:00Z');

describe('whatever happens, in whatever order', () => {
  it.each([
    ['one task', 1, 2_000],
    ['three tasks side by side', 3, 1_000],
  ])(
    'the decisions about %s are those of the rules',
    async (_title, tasks, numRuns) => {
      const several = fc.array(definitions, { minLength: tasks, maxLength: tasks });
      const seen = new Reached();
      const property = fc.asyncProperty(several, opening, sequences(40), async (given, first, commands) => {
        const product = new InMemory();
        const world = new World(T0);
        for (const definition of given) await world.add(product, definition);
        for (const steps of [first, commands]) await fc.asyncModelRun(() => ({ model: world, real: product }), steps);
        seen.add(world);
        await finish(world, product);
      });
      await fc.assert(property, { numRuns });
      seen.expectAtLeast(numRuns, 40);
    },
    120_000,
  );
});
