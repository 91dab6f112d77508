import { eventually } from '#testing';
import { type RunningApi, taskBody } from './api.js';

export interface Claimed {
  id: string;
  exec_id: string;
  deadline: string;
  timeout_at: string;
  attempt: number;
  task_name: string;
  priority: number;
  payload: unknown;
}

export interface AgentRunAnswer {
  id: string;
  status: string;
  node: string | null;
  attempt: number;
  result: unknown;
  progress: unknown;
  error_code: string | null;
  error_info: string | null;
  attempts: { attempt: number; outcome: string; node: string; error_code: string | null; response: unknown }[];
}

/** Agents and their tasks, from outside. */
export class AgentWorld {
  constructor(private readonly api: RunningApi) {}

  async create(fields: object = {}): Promise<string> {
    const body = taskBody({ executor: 'AGENT', target_url: undefined, timeout_seconds: 600, ...fields });
    const { status, data } = await this.api.http.post<{ id: string }>('/tasks', body);
    if (status !== 201) throw new Error(JSON.stringify(data));
    return data.id;
  }

  async trigger(taskId: string, body: object = {}): Promise<string> {
    return (await this.api.http.post<{ id: string }>(`/tasks/${taskId}/runs`, body)).data.id;
  }

  async run(id: string): Promise<AgentRunAnswer> {
    return (await this.api.http.get<AgentRunAnswer>(`/runs/${id}`)).data;
  }

  becomes(id: string, status: string): Promise<AgentRunAnswer> {
    return eventually(async () => {
      const run = await this.run(id);
      return run.status === status && run;
    }, `${id} is ${status}`);
  }

  async claim(body: object = {}): Promise<Claimed[]> {
    const { data } = await this.api.http.post<{ items: Claimed[] }>('/agents/claim', { agent: 'a', ...body });
    return data.items;
  }

  say(run: Pick<Claimed, 'id' | 'exec_id'>, what: 'heartbeat' | 'complete' | 'fail', body: object = {}) {
    const answer = { exec_id: run.exec_id, ...body };
    return this.api.http.post<Record<string, unknown>>(`/agents/runs/${run.id}/${what}`, answer);
  }
}
