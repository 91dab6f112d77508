import { Logger, run, type Task } from 'graphile-worker';
import pg from 'pg';
import { callTarget, followParent } from './call-target.js';
import { History } from './history.js';

/** A graphile-worker with its documented batching; with `history` it records each run as the product does. */
const [databaseUrl, target, concurrency, withHistory] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
pool.on('error', () => undefined);
pool.on('connect', (client) => client.on('error', () => undefined));
const history = withHistory ? new History(pool) : undefined;

const call: Task = async (payload) => {
  const { id, due } = payload as { id: string; due: string };
  const started = await history?.started(id);
  const { status, text } = await callTarget(target, id, due);
  if (started) await history?.finished(started, { url: target, status, text });
};

const runner = await run({
  pgPool: pool,
  logger: new Logger(() => () => undefined),
  noHandleSignals: true,
  taskList: { call },
  preset: {
    worker: {
      concurrentJobs: Number(concurrency),
      localQueue: { size: 4 * Number(concurrency) },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      pollInterval: 500,
    },
  },
});
followParent(() => runner.stop());
process.send?.({ ready: true });
