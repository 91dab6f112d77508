import { Agent, request } from 'undici';
import { startApi } from './support/deployment.js';
import type { DialectName, Lab } from './support/lab.js';
import { print, say } from './support/report.js';

const RUNS = 2_000;
const AGENTS = 4;
/** Runs that one claim takes. */
const SIZES = [1, 20, 100];

/** Runs that agents take and complete through the API, by how many a claim takes. */
export async function benchAgents(lab: Lab): Promise<void> {
  for (const dialect of lab.dialects) await measure(lab, dialect);
}

async function measure(lab: Lab, dialect: DialectName): Promise<void> {
  const [server, redis] = [await lab.server(dialect), await lab.redis()];
  const queuePrefix = `bench-agents-${dialect}`;
  const api = await startApi({ databaseUrl: await server.newDatabase(), redisUrl: redis.url, queuePrefix });
  try {
    const client = new Client(api.url);
    const figures = [];
    for (const size of SIZES) {
      await client.submit(`agents-${size}`, RUNS);
      say(`${dialect}: ${RUNS} runs wait, ${AGENTS} agents come, ${size} a claim`);
      const { claimed, completed } = await client.drain(`agents-${size}`, size);
      figures.push({ name: `claimed, ${size} a claim`, value: RUNS / claimed, unit: 'runs/s' });
      figures.push({ name: `completed, ${size} a claim`, value: RUNS / completed, unit: 'runs/s' });
    }
    print(`${dialect}: runs claimed and completed by ${AGENTS} agents`, figures, { ratios: false });
  } finally {
    await api.process.stop();
  }
}

interface Claimed {
  id: string;
  exec_id: string;
}

class Client {
  private readonly dispatcher = new Agent({ connections: 32 });

  constructor(private readonly url: string) {}

  async submit(name: string, runs: number): Promise<void> {
    await this.post('tasks', {
      name,
      executor: 'AGENT',
      max_concurrency: 0,
      timeout_seconds: 3600,
      heartbeat_timeout_sec: 3600,
    });
    for (let at = 0; at < runs; at += 1_000) {
      const jobs = Array.from({ length: Math.min(1_000, runs - at) }, (_, n) => ({ type: name, payload: { n } }));
      await this.post('jobs/batch', { jobs });
    }
  }

  /** Seconds until all were claimed, and from then on until all were completed. */
  async drain(type: string, limit: number): Promise<{ claimed: number; completed: number }> {
    const began = performance.now();
    const claims = await Promise.all(Array.from({ length: AGENTS }, () => this.claimAll(type, limit)));
    if (claims.flat().length !== RUNS) throw new Error(`${claims.flat().length} runs were claimed, not ${RUNS}`);
    const between = performance.now();
    await Promise.all(claims.map((runs) => this.completeAll(runs)));
    return { claimed: (between - began) / 1000, completed: (performance.now() - between) / 1000 };
  }

  private async claimAll(type: string, limit: number): Promise<Claimed[]> {
    const all: Claimed[] = [];
    for (;;) {
      const { items } = (await this.post('agents/claim', { agent: 'bench', types: [type], limit })) as {
        items: Claimed[];
      };
      if (items.length === 0) return all;
      all.push(...items);
    }
  }

  /** Eight at a time: an agent works on several. */
  private async completeAll(runs: Claimed[]): Promise<void> {
    const lane = async () => {
      for (let run = runs.pop(); run; run = runs.pop()) {
        await this.post(`agents/runs/${run.id}/complete`, { exec_id: run.exec_id, result: { ok: true } });
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
  }

  private async post(path: string, body: object): Promise<unknown> {
    const response = await request(`${this.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      dispatcher: this.dispatcher,
    });
    const answer: unknown = await response.body.json();
    if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${JSON.stringify(answer)}`);
    return answer;
  }
}
