import { collectGarbage } from '../support/collect-garbage.js';
import { Workbench } from '../support/workbench.js';
import { followParent } from './call-target.js';

/** A scheduler whose clock is set from outside: does the tick of the second it is given, and says how long that took. */
const [databaseUrl, redisUrl, queuePrefix] = process.argv.slice(2);
const bench = await Workbench.open({ databaseUrl, redisUrl, queuePrefix });
let second = 0;
const tick = bench.tick({ clock: { now: () => second * 1000 + 1 } });

async function answer({ at, memory }: { at?: number; memory?: true }): Promise<object> {
  if (memory) return memoryNow();
  second = at ?? second;
  const began = performance.now();
  const { runs } = await tick.runOnce();
  await tick.leftBehind();
  return { ms: performance.now() - began, runs };
}

/** In megabytes, with everything collected that can be. */
function memoryNow(): object {
  collectGarbage();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 };
}

process.on('message', ({ re, ...question }: { re: number; at?: number; memory?: true }) => {
  void answer(question).then((found) => process.send?.({ re, ...found }));
});
followParent(() => bench.close());
process.send?.({ ready: true });
