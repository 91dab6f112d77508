import { crowds, MANY } from './support/crowds.js';
import { startApi } from './support/deployment.js';
import type { Filled } from './support/fill.js';
import type { DialectName, Lab } from './support/lab.js';
import { type AskedApi, type Question, TIMES_ASKED, timesOf } from './support/questions.js';
import { type Figure, type Goal, judge, print, say } from './support/report.js';

const QUESTIONS: Question[] = [
  {
    ...{ name: 'create', method: 'POST', path: () => '/tasks', status: 201 },
    body: (i) => ({ name: `made-${process.pid}-${i}`, cron_expr: '0 3 * * *', target_url: 'https://example.com/' }),
  },
  { name: 'list, first page', path: () => '/tasks?limit=50', status: 200 },
  { name: 'list by status', path: () => '/tasks?limit=50&status=ENABLED', status: 200 },
  { name: 'list by category', path: (i) => `/tasks?limit=20&category=team-${i % 50}`, status: 200 },
  { name: 'list by tag', path: () => '/tasks?limit=50&tag=tenth', status: 200 },
  {
    name: 'list by start of a name',
    path: (i, tasks) => `/tasks?limit=10&name=task-${1 + ((i * 7) % (tasks / 10))}`,
    status: 200,
  },
  { name: 'get one', path: (i, tasks) => `/tasks/${1 + ((i * 7919) % tasks)}`, status: 200 },
  { name: 'next fires of one', path: (i, tasks) => `/tasks/${1 + ((i * 7919) % tasks)}/next?count=10`, status: 200 },
  {
    ...{ name: 'preview', method: 'POST', path: () => '/cron/preview', status: 200 },
    body: (i) => ({ cron_expr: `${i % 60} 2 * * *`, timezone: 'Europe/Berlin', count: 10 }),
  },
];

/** What people ask of the API, one request at a time, of one with a thousand tasks and one with a million in turns. */
export async function benchRows(lab: Lab): Promise<void> {
  for (const dialect of lab.dialects) {
    const { few, many } = await crowds(lab, dialect);
    const { url: redisUrl } = await lab.redis();
    const [small, large] = [await open(few, redisUrl), await open(many, redisUrl)];
    try {
      await compare(dialect, small.api, large.api);
    } finally {
      await small.stop();
      await large.stop();
    }
  }
}

async function open({ url: databaseUrl, tasks }: Filled, redisUrl: string) {
  const env = { SCHEDULER: 'disabled' };
  const { process, url } = await startApi({ databaseUrl, redisUrl, queuePrefix: `rows-${tasks}`, env });
  return { api: { url: `${url}/api/v1`, size: tasks }, stop: () => process.stop() };
}

async function compare(dialect: DialectName, small: AskedApi, large: AskedApi): Promise<void> {
  const figures: Figure[] = [];
  const goals: Goal[] = [];
  say(`${dialect}, ${QUESTIONS.length} questions, ${TIMES_ASKED} times each`);
  for (const question of QUESTIONS) {
    const [few, many] = await timesOf(question, small, large);
    const value = many / few;
    figures.push({ name: question.name, value: many, unit: 'ms', note: `${few.toFixed(2)} ms with 1,000` });
    goals.push({
      what: `${question.name} on ${dialect}, ${MANY.toLocaleString('en')} against 1,000 tasks`,
      value,
      unit: '×',
      atMost: 1.5,
    });
  }
  print(`Requests with ${MANY.toLocaleString('en')} tasks on ${dialect}, median`, figures, { ratios: false });
  judge('rows', goals);
}
