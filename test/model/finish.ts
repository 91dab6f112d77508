import { expect } from '@jest/globals';
import { isFinal } from '#domain';
import type { Product } from './product.js';
import { agree, verify } from './verify.js';
import type { World } from './world.js';

/** I2: once nothing new comes, executing what is there brings every admitted run to its end, and all slots come back. */
export async function finish(world: World, product: Product): Promise<void> {
  for (const task of world.live) {
    task.setEnabled(false, world.now);
    await product.setEnabled(task.id, false, world.now);
  }
  while (world.claimable.length + world.running.length + world.waiting.length > 0) {
    for (const { task, run } of world.claimable) {
      const execution = await product.claim(run.id, world.now);
      expect({ claimed: run.id, execution }).not.toMatchObject({ execution: null });
      task.claim(run);
      world.started.push({ task, run, execution: execution! });
    }
    for (const { task, run, execution } of world.running) {
      const { settled, released } = await product.settle(execution, 'success', task.definition, world.now);
      expect(settled).toBe(true);
      agree(released, task.end(run, 'success'));
    }
    for (const { task, run, execution } of world.waiting) {
      const { settled, released } = await product.callBack(execution, 'success', world.now);
      expect(settled).toBe(true);
      agree(released, task.end(run, 'success'));
    }
  }
  // In line, scheduled, running, waiting for its callback, and over.
  await verify(world, product, 4);
  for (const { rows, activeRuns, queuedRuns } of world.seen.values()) {
    expect([activeRuns, queuedRuns]).toEqual([0, 0]);
    expect(rows.filter(({ status }) => !isFinal(status) && status !== 'PENDING')).toEqual([]);
  }
}
