import { PgBoss } from 'pg-boss';
import { callTarget, followParent } from './call-target.js';

/** A pg-boss worker: two batches under way, fetched without a pause while they come back full, completed as a whole. */
const [databaseUrl, target, concurrency] = process.argv.slice(2);
const BATCHES = 2;

const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
await boss.start();
const options = {
  localConcurrency: BATCHES,
  batchSize: Number(concurrency) / BATCHES,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
};
await boss.work<{ id: string; due: string }>('calls', options, async (jobs) => {
  await Promise.all(jobs.map(({ data }) => callTarget(target, data.id, data.due)));
});
followParent(() => boss.stop({ graceful: false }));
process.send?.({ ready: true });
