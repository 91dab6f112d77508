import axios, { type AxiosResponse } from 'axios';
import type { RecordedCall } from '#testing';

export interface CallbackAnswer {
  run_id: string;
  status: string;
  duplicate: boolean;
  late: boolean;
  detail: string;
  errors: { field: string }[];
}

export interface HeartbeatAnswer {
  cancel_requested: boolean;
  deadline: string | null;
  heartbeat_deadline: string | null;
  late: boolean;
}

/** What a target was given to call back with. */
export class StartedAttempt {
  constructor(readonly call: RecordedCall) {}

  get runId(): string {
    return this.call.runId!;
  }

  get token(): string {
    return this.call.headers['x-punctual-callback-token'] as string;
  }

  get url(): string {
    return this.call.headers['x-punctual-callback-url'] as string;
  }

  get attempt(): number {
    return Number(this.call.headers['x-punctual-attempt']);
  }

  /** As the target would: to the address it was given, with the token it was given. */
  async say(body: object, { token = this.token, method = 'POST' }: { token?: string | null; method?: string } = {}) {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const options = { method, url: this.url, data: body, headers, validateStatus: () => true };
    return axios.request<CallbackAnswer>(options);
  }

  beat(body?: object): Promise<AxiosResponse<HeartbeatAnswer>> {
    const headers = { authorization: `Bearer ${this.token}` };
    return axios.post<HeartbeatAnswer>(`${this.url}/heartbeat`, body, { headers, validateStatus: () => true });
  }
}
