import { FIRST_TASKS } from './first-tasks.js';
import type { FuzzRequest } from './fuzz-request.js';

/** Something to ask about: tasks of every kind, and runs of them. */
export function firstRequests(authorization?: string): FuzzRequest[] {
  const target_url = 'http://127.0.0.1:9/hook';
  const notify = { error: { url: target_url }, security: { type: 'aksk', ak: 'a', sk: 'b' } };
  const tasks = [
    { target_url, notify, headers_json: { 'X-Own': { secret: 'own' } } },
    { target_url, max_concurrency: 0, concurrency_policy: 'PARALLEL' },
    { executor: 'AGENT', category: 'fuzz' },
    { target_url, exec_type: 'ASYNC' },
    { target_url, cron_expr: '0 0 1 1 *' },
  ].map((fields, at) => post('/api/v1/tasks', { name: FIRST_TASKS[at], ...fields }, authorization));
  const jobs = FIRST_TASKS.slice(0, 3).flatMap((name) => Array<string>(5).fill(name));
  return [...tasks, ...jobs.map((type) => post('/api/v1/jobs', { type, payload: { a: 1 } }, authorization))];
}

function post(path: string, body: object, authorization?: string): FuzzRequest {
  const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
  return { operation: `POST ${path}`, method: 'POST', path, headers, body: JSON.stringify(body) };
}
