import { openDatabase } from '#database';
import { eventually, openStack, type RecordedCall, type Stack, TargetStub } from '#testing';
import { FleetProcess } from './fleet.js';

export interface Attempt {
  attempt: number;
  outcome: string;
  node: string;
  error_code: string | null;
}

export interface Run {
  id: string;
  status: string;
  attempt: number;
  exec_id: string;
  node: string;
  error_code: string | null;
  result: unknown;
  attempts: Attempt[];
  late_callbacks: { attempt: number; effect: string }[];
}

/** What is lost is found as soon as the product can: a lease of 5 s is the shortest there is. */
const QUICK = { LEASE_SECONDS: '5', RESCUE_INTERVAL_MS: '500' };

/** One API, workers that come and go, and a target for them, each a process of its own but the target. */
export class Deployment {
  private readonly processes: FleetProcess[] = [];
  private count = 0;

  private constructor(
    readonly stack: Stack,
    readonly target: TargetStub,
    private readonly env: Record<string, string>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Deployment> {
    const deployment = new Deployment(await openStack(), await TargetStub.start(), { ...QUICK, ...env });
    deployment.processes.push(await FleetProcess.start('api', deployment.stack, deployment.env));
    try {
      await deployment.api.ready();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  get api(): FleetProcess {
    return this.processes[0];
  }

  /** Answers when it takes runs. */
  async worker(env: Record<string, string> = {}): Promise<FleetProcess> {
    const worker = this.keep(await FleetProcess.start('worker', this.stack, { ...this.env, ...env }));
    await worker.ready();
    return worker;
  }

  /** A run of a new task. */
  async trigger(task: object, run: object = {}): Promise<string> {
    const body = { name: `task-${++this.count}`, timeout_seconds: 60, ...task };
    const { id } = await this.api.post<{ id: string }>('/tasks', body);
    return (await this.api.post<Run>(`/tasks/${id}/runs`, run)).id;
  }

  run(id: string): Promise<Run> {
    return this.api.get<Run>(`/runs/${id}`);
  }

  becomes(id: string, status: string): Promise<Run> {
    let last: Run | undefined;
    const ask = async () => (last = await this.run(id)).status === status && last;
    return eventually(ask, () => `${id} is ${status}, but ${JSON.stringify(last)}`, 60_000);
  }

  /** The call that started this attempt, once the target has it. */
  async called(runId: string, attempt = 1): Promise<RecordedCall> {
    const isIt = (call: RecordedCall) => call.runId === runId && call.headers['x-punctual-attempt'] === String(attempt);
    const calls = await this.target.waitFor((all) => all.some(isIt), 60_000);
    return calls.find(isIt)!;
  }

  /** What the database holds of the tokens of a run's attempts, once that many are there. */
  async tokensOf(runId: string, count = 1): Promise<{ attempt: number; tokenHash: string }[]> {
    const database = openDatabase({ url: this.stack.databaseUrl, poolSize: 2, timeoutMs: 10_000 });
    const query = { where: { runId }, orderBy: { attempt: 'asc' } } as const;
    const ask = async () => {
      const tokens = await database.client.runCallback.findMany(query);
      return tokens.length >= count && tokens;
    };
    return eventually(ask, `${count} tokens of ${runId}`, 60_000).finally(() => database.close());
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop('SIGKILL')));
    await this.target.close();
    await this.stack.close();
  }

  private keep(process: FleetProcess): FleetProcess {
    this.processes.push(process);
    return process;
  }
}
