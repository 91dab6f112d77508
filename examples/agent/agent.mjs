#!/usr/bin/env node
// A reference agent: claims runs by long poll, keeps their leases, reports how they ended. No dependencies, Node 20 or later.
//   PUNCTUAL_URL=http://localhost:3000 PUNCTUAL_KEY=pk_… AGENT_CATEGORIES=images node examples/agent/agent.mjs
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** How long to wait before asking again when the API is away. */
const AWAY_MS = { first: 500, most: 15_000 };

/**
 * @param {object} options
 * @param {string} options.url where the API is
 * @param {string} [options.key] an API key with the role OPERATOR, where the API asks for one
 * @param {(run: object, tools: {signal: AbortSignal, progress: (value: unknown) => void}) => Promise<unknown>} options.work
 *   does one run; what it returns is the result. It throws to fail: an error's `code`, `retryable` and `retryAfterSeconds` are told.
 * @param {string} [options.name]
 * @param {number} [options.concurrency] most runs at once
 * @param {string[]} [options.categories]
 * @param {string[]} [options.types]
 */
export class Agent {
  constructor({
    url,
    key,
    work,
    name = `${hostname()}-${process.pid}`.slice(-64),
    concurrency = 4,
    categories,
    types,
  }) {
    this.base = `${url.replace(/\/$/, '')}/api/v1/agents`;
    this.headers = { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) };
    this.work = work;
    this.wish = { agent: name, categories, types };
    this.concurrency = concurrency;
    this.running = new Set();
    this.stopping = new AbortController();
  }

  /** Works until it is stopped. */
  async run() {
    let awayMs = AWAY_MS.first;
    while (!this.stopping.signal.aborted) {
      const free = this.concurrency - this.running.size;
      if (free === 0) {
        await Promise.race([...this.running, aborted(this.stopping.signal)]);
        continue;
      }
      try {
        for (const run of await this.claim(free)) this.start(run);
        awayMs = AWAY_MS.first;
      } catch (error) {
        if (this.stopping.signal.aborted) break;
        console.error(`claiming failed, trying again in ${awayMs} ms: ${error.message}`);
        await pause(awayMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
        awayMs = Math.min(awayMs * 2, AWAY_MS.most);
      }
    }
    await Promise.all(this.running);
  }

  /** Claims nothing more; `run` ends when what is under way is done. */
  stop() {
    this.stopping.abort();
  }

  async claim(limit) {
    // With something under way it only looks: a slot may come free at any time, and more may then be taken together.
    const wait_seconds = this.running.size === 0 ? 30 : 5;
    const { body } = await this.post('claim', { ...this.wish, limit, wait_seconds }, this.stopping.signal);
    return body.items;
  }

  start(run) {
    const one = this.execute(run)
      .catch((error) => console.error(`run ${run.id}: ${error.message}`))
      .finally(() => this.running.delete(one));
    this.running.add(one);
  }

  async execute(run) {
    const lost = new AbortController();
    let progress;
    const beat = this.keepLease(run, lost, () => progress);
    try {
      const tools = { signal: lost.signal, progress: (value) => (progress = value) };
      const result = await this.work(run, tools);
      clearTimeout(beat.timer);
      if (!lost.signal.aborted) await this.report(run, 'complete', { result });
    } catch (error) {
      if (!lost.signal.aborted) await this.report(run, 'fail', failureOf(error));
    } finally {
      beat.over = true;
      clearTimeout(beat.timer);
    }
  }

  /** Three heartbeats per lease. When the run is cancelled, or somebody else has it, the work is told to stop. */
  keepLease(run, lost, progress) {
    const beat = { over: false, timer: undefined };
    const next = (deadline) => {
      const ms = Math.max(200, (Date.parse(deadline) - Date.now()) / 3);
      beat.timer = setTimeout(() => void send(deadline), ms);
    };
    const send = async (deadline) => {
      try {
        const { status, body } = await this.post(`runs/${run.id}/heartbeat`, {
          exec_id: run.exec_id,
          progress: progress(),
        });
        if (status === 409 || status === 404 || body.cancel_requested) return lost.abort();
        if (!beat.over) next(body.deadline ?? deadline);
      } catch {
        // The API is away: as long as the lease lasts, there is no harm in going on.
        if (!beat.over) next(deadline);
      }
    };
    next(run.deadline);
    return beat;
  }

  /** Said until it is heard: repeating it does no harm, and a 409 means that it is of no interest any more. */
  async report(run, what, body) {
    for (let awayMs = AWAY_MS.first; ; awayMs = Math.min(awayMs * 2, AWAY_MS.most)) {
      try {
        const { status } = await this.post(`runs/${run.id}/${what}`, { exec_id: run.exec_id, ...body });
        if (status < 500 && status !== 429) return status;
      } catch {
        // Away: again.
      }
      if (Date.now() > Date.parse(run.timeout_at)) throw new Error(`its ${what} could not be reported in time`);
      await pause(awayMs);
    }
  }

  async post(path, body, signal) {
    const response = await fetch(`${this.base}/${path}`, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify(body),
      signal,
    });
    const text = await response.text();
    const answer = { status: response.status, body: text === '' ? {} : JSON.parse(text) };
    if (path === 'claim' && response.status !== 200) throw new Error(`${response.status} ${answer.body.detail ?? ''}`);
    return answer;
  }
}

function failureOf(error) {
  return {
    error_info: String(error?.message ?? error).slice(0, 16_000) || 'no reason given',
    error_code: typeof error?.code === 'string' ? error.code.slice(0, 64) : undefined,
    retryable: error?.retryable,
    retry_after_seconds: error?.retryAfterSeconds,
  };
}

const aborted = (signal) => new Promise((done) => signal.addEventListener('abort', done, { once: true }));

/** Started by itself it does what its payload asks for: `{"sleep_ms": 100, "fail": "why"}`, and gives the payload back. */
async function demo(run, { signal, progress }) {
  const { sleep_ms: ms = 0, fail } = run.payload ?? {};
  progress({ started: true });
  await pause(ms, undefined, { signal });
  if (fail) throw new Error(fail);
  return { by: 'examples/agent', payload: run.payload };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const list = (value) => value?.split(',').filter(Boolean);
  const agent = new Agent({
    url: process.env.PUNCTUAL_URL ?? 'http://localhost:3000',
    key: process.env.PUNCTUAL_KEY,
    name: process.env.AGENT_NAME,
    concurrency: Number(process.env.AGENT_CONCURRENCY ?? 4),
    categories: list(process.env.AGENT_CATEGORIES),
    types: list(process.env.AGENT_TYPES),
    work: demo,
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => agent.stop());
  console.log(`agent ${agent.wish.agent} claims from ${agent.base}`);
  await agent.run();
  console.log('stopped');
}
