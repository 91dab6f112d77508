import { eventually, type RecordedCall, type TargetStub } from '#testing';
import { type RunningApi, taskBody } from './api.js';
import { StartedAttempt } from './started-attempt.js';

export interface RunAnswer {
  id: string;
  status: string;
  attempt: number;
  exec_id: string;
  error_code: string | null;
  error_info: string | null;
  result: unknown;
  progress: unknown;
  deadline: string | null;
  heartbeat_deadline: string | null;
  finished_at: string | null;
  attempts: {
    attempt: number;
    outcome: string;
    request: { url: string; headers: Record<string, string>; body?: string } | null;
    response: { status: number; body?: string; headers: Record<string, string> } | null;
    http_status: number | null;
    error_code: string | null;
    finished_at: string | null;
  }[];
  callbacks: { attempt: number; outcome: string | null; answered_at: string | null; http_status: number | null }[];
  late_callbacks: { attempt: number; status: string; result: unknown; error_info: string | null; effect: string }[];
}

/** ASYNC tasks whose target is the stub. */
export class AsyncRuns {
  constructor(
    private readonly api: RunningApi,
    private readonly target: TargetStub,
  ) {}

  async create(fields: object = {}): Promise<string> {
    const body = taskBody({ target_url: `${this.target.url}/async`, exec_type: 'ASYNC', ...fields });
    const { status, data } = await this.api.http.post<{ id: string }>('/tasks', body);
    if (status !== 201) throw new Error(JSON.stringify(data));
    return data.id;
  }

  async trigger(taskId: string): Promise<string> {
    return (await this.api.http.post<{ id: string }>(`/tasks/${taskId}/runs`)).data.id;
  }

  /** A new run of a new task, once its target has been called. */
  async start(fields: object = {}): Promise<StartedAttempt> {
    return this.called(await this.trigger(await this.create(fields)));
  }

  async called(runId: string, attempt = 1): Promise<StartedAttempt> {
    const ofIt = (call: RecordedCall) => call.runId === runId && call.headers['x-punctual-attempt'] === String(attempt);
    const calls = await this.target.waitFor((all) => all.some(ofIt));
    return new StartedAttempt(calls.find(ofIt)!);
  }

  /** The same, when it waits for its callback. */
  async waiting(fields: object = {}): Promise<StartedAttempt> {
    const started = await this.start(fields);
    await this.becomes(started.runId, 'WAITING_CALLBACK');
    return started;
  }

  async read(runId: string): Promise<RunAnswer> {
    return (await this.api.http.get<RunAnswer>(`/runs/${runId}`)).data;
  }

  becomes(runId: string, status: string): Promise<RunAnswer> {
    let last = '';
    return eventually(
      async () => {
        const run = await this.read(runId);
        last = run.status;
        return run.status === status && run;
      },
      () => `${runId} is ${status}, but ${last}`,
    );
  }
}
