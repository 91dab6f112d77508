import { Agent, request } from 'undici';
import { median } from './report.js';

const WARM_UP = 40;
const REQUESTS = 150;

/** Something people ask of the API. `size`: how much there is in it. */
export interface Question {
  name: string;
  method?: 'GET' | 'POST';
  path: (i: number, size: number) => string;
  body?: (i: number) => object;
  status: number;
}

export interface AskedApi {
  url: string;
  size: number;
}

export const TIMES_ASKED = REQUESTS;

/** Median times of one question, asked of a small and of a large installation in turns. */
export async function timesOf(question: Question, small: AskedApi, large: AskedApi): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    for (const side of i % 2 === 0 ? [0, 1] : [1, 0]) {
      const ms = await timeOf(question, side === 0 ? small : large, i);
      if (i >= WARM_UP) times[side].push(ms);
    }
  }
  return [median(times[0]), median(times[1])];
}

const dispatcher = new Agent({ connections: 1 });

async function timeOf(
  { name, method = 'GET', path, body, status }: Question,
  { url, size }: AskedApi,
  i: number,
): Promise<number> {
  const began = performance.now();
  const response = await request(`${url}${path(i, size)}`, {
    ...{ method, dispatcher, headers: { 'content-type': 'application/json' } },
    body: body ? JSON.stringify(body(i)) : null,
  });
  const text = await response.body.text();
  const ms = performance.now() - began;
  if (response.statusCode !== status) throw new Error(`${name}: ${response.statusCode} ${text.slice(0, 300)}`);
  return ms;
}
