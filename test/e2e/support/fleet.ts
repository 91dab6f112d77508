import { type ChildProcess, spawn } from 'node:child_process';
import { checkout, eventually, freePort, guard, type Stack } from '#testing';

export interface Start {
  /** A program that becomes it, and its arguments. */
  through?: string[];
  /** Of Node.js. */
  flags?: string[];
}

/** One process of the built product, as an operator would start it. */
export class FleetProcess {
  output = '';
  /** Its exit code, when it has ended and its output is complete. */
  readonly ended: Promise<number | null>;

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {
    const guardian = guard(child.pid!, '/nonexistent');
    const hear = (chunk: Buffer) => (this.output += chunk.toString());
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    void this.ended.then(() => guardian.dismiss());
  }

  static async start(
    app: 'api' | 'worker',
    stack: Partial<Stack>,
    env: Record<string, string> = {},
    how: Start = {},
  ): Promise<FleetProcess> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const whole = {
      DATABASE_URL: stack.databaseUrl,
      REDIS_URL: stack.redisUrl ?? '',
      QUEUE_PREFIX: stack.queuePrefix ?? 'punctual',
      HOST: '127.0.0.1',
      [app === 'api' ? 'PORT' : 'WORKER_PORT']: String(port),
      LOG_FORMAT: 'json',
      ...env,
    };
    return FleetProcess.spawn(`dist/apps/${app}/src/main.js`, url, whole, how);
  }

  /** The example agent; it listens nowhere. */
  static agent(apiUrl: string, name: string, env: Record<string, string> = {}): FleetProcess {
    return FleetProcess.spawn('examples/agent/agent.mjs', '', { PUNCTUAL_URL: apiUrl, AGENT_NAME: name, ...env });
  }

  private static spawn(file: string, url: string, env: NodeJS.ProcessEnv, how: Start = {}): FleetProcess {
    const options = { cwd: checkout, env: { ...process.env, ...env } };
    const [command, ...args] = [...(how.through ?? []), process.execPath, ...(how.flags ?? []), file];
    return new FleetProcess(spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }), url);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Of itself: somebody else on its port would answer for one that could not start. */
  ready(timeoutMs = 90_000): Promise<true> {
    return eventually(
      async () => {
        const isReady = (await this.status('/readyz')) === 200;
        if (!this.isRunning) throw new Error(`it ended before it was ready; it logged:\n${this.output}`);
        return isReady;
      },
      () => `ready; it logged:\n${this.output}`,
      timeoutMs,
    );
  }

  /** 0 while nobody listens. */
  async status(at: string): Promise<number> {
    const answer = await fetch(this.url + at).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status ?? 0;
  }

  async post<Answer>(at: string, body: object): Promise<Answer> {
    const answer = await fetch(`${this.url}/api/v1${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }

  async get<Answer>(at: string): Promise<Answer> {
    return (await (await fetch(`${this.url}/api/v1${at}`)).json()) as Answer;
  }

  /** As a machine would take it away: nothing is finished, nothing handed back. */
  async killNow(): Promise<void> {
    await this.stop('SIGKILL');
  }

  /** Answers with its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.isRunning) this.child.kill(signal);
    return this.ended;
  }
}
