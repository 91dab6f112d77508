import { callTarget, followParent } from './call-target.js';

/** The yardstick: the calls alone, so many at a time, no queue and nothing kept. */
const [url, concurrency] = process.argv.slice(2);
const due = new Date().toISOString();

async function lane(counter: { left: number }): Promise<void> {
  while (counter.left > 0) await callTarget(url, `bare-${counter.left--}`, due);
}

process.on('message', ({ re, calls }: { re: number; calls: number }) => {
  const counter = { left: calls };
  void Promise.all(Array.from({ length: Number(concurrency) }, () => lane(counter))).then(() => process.send?.({ re }));
});
followParent();
process.send?.({ ready: true });
