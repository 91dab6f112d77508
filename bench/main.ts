import { createTestDatabase, findRedis, startPostgres, startRedis } from '#testing';
import { Target } from './child.js';
import { drainBullMq, drainProduct } from './drain.bench.js';
import { latenessOfBullMq, latenessOfProduct } from './lateness.bench.js';
import { Product } from './product.js';
import { type Figure, median, print } from './report.js';
import { benchSchedule } from './schedule.bench.js';

const ROUNDS = 3;
const CONCURRENCY = 50;
const only = process.argv[2];

/** Product and peer take turns, and the middle of each one's rounds counts. */
async function benchPipeline(): Promise<void> {
  const postgres = await startPostgres({ durable: true });
  const redis = await startRedis();
  const database = await createTestDatabase(postgres.url());
  const target = await Target.start();
  const product = await Product.start(database.url, redis.url, CONCURRENCY);
  try {
    if (!only || only === 'drain') await benchDrain(product, target, redis.url);
    if (!only || only === 'lateness') await benchLateness(product, target, redis.url);
  } finally {
    await product.stop();
    await target.stop();
    await redis.stop();
    await postgres.stop();
  }
}

async function benchDrain(product: Product, target: Target, redisUrl: string): Promise<void> {
  const rounds: Figure[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    console.log(`drain, round ${round + 1} of ${ROUNDS} …`);
    const peer = await drainBullMq(redisUrl, target, CONCURRENCY);
    rounds.push([await drainProduct(product, target, round * 10_000), peer]);
  }
  const middle = (i: number) => ({ ...rounds[0][i], value: median(rounds.map((figures) => figures[i].value)) });
  print('10,000 HTTP calls on PostgreSQL + Redis, from due to done', [middle(1), middle(0)]);
}

async function benchLateness(product: Product, target: Target, redisUrl: string): Promise<void> {
  console.log('\nlateness, 500 calls a second for 10 s each …');
  const peer = await latenessOfBullMq(redisUrl, target, CONCURRENCY);
  print('Lateness at the target, 500 tasks every second', [...peer, ...(await latenessOfProduct(product, target))]);
}

if (!only || only === 'schedule') print('Schedules', await benchSchedule(), { ratios: false });
if (only !== 'schedule') {
  if (findRedis()) await benchPipeline();
  else console.log('\nredis-server is not installed: the pipeline was not measured (apt-get install redis-server)');
}
