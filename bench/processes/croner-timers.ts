import { Cron } from 'croner';
import { callTarget, followParent } from './call-target.js';

/** Timers in memory: a croner job per task, which calls the target itself. Nothing is stored, nothing survives. */
const [target, tasks] = process.argv.slice(2);
/** A timer may come a little early. */
const EARLY_MS = 20;

for (let task = 1; task <= Number(tasks); task++) {
  new Cron('* * * * * *', () => {
    const second = Math.floor((Date.now() + EARLY_MS) / 1000);
    void callTarget(target, `${second}-${task}`, new Date(second * 1000).toISOString());
  });
}
followParent();
process.send?.({ ready: true });
