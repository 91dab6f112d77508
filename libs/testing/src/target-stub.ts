import { EventEmitter } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedCall {
  method: string;
  url: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** From the header x-punctual-run-id. */
  runId: string | undefined;
  body: string;
  startedAt: number;
  /** When the answer was sent, or the caller went away; undefined while it is open. */
  endedAt?: number;
  /** The caller went away before the answer. */
  aborted?: boolean;
}

export interface Behaviour {
  /** 200 */
  status?: number;
  delayMs?: number;
  /** Answers when this is fulfilled. */
  after?: Promise<unknown>;
  body?: string | Buffer | object;
  headers?: Record<string, string>;
  /** Never answers. */
  hang?: boolean;
  /** Answers with this Location, 302 unless a status is given. */
  redirect?: string;
}

type Reaction = Behaviour | ((call: RecordedCall, nth: number) => Behaviour);

/** A target on the loopback that writes down every call it gets. */
export class TargetStub {
  readonly calls: RecordedCall[] = [];
  private readonly reactions = new Map<string, Reaction>();
  private readonly changes = new EventEmitter().setMaxListeners(0);

  private constructor(private readonly server: Server) {}

  static async start(port = 0): Promise<TargetStub> {
    // Idle connections are the caller's to close: a server that does so may meet a request that is on its way.
    const server = createServer({ keepAliveTimeout: 0 });
    const stub = new TargetStub(server);
    server.on('request', (request, response) => stub.receive(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What a path answers from now on; '*' is every path without a reaction of its own. A function gets n = 1, 2, 3, … */
  on(path: string, reaction: Reaction): this {
    this.reactions.set(path, reaction);
    return this;
  }

  callsTo(path: string): RecordedCall[] {
    return this.calls.filter((call) => call.path === path);
  }

  /** Forgets the calls, keeps the reactions. */
  clear(): void {
    this.calls.length = 0;
  }

  /** Resolves as soon as there are that many calls, or the calls satisfy the predicate; looked at on every change. */
  waitFor(wanted: number | ((calls: RecordedCall[]) => boolean), timeoutMs = 30_000): Promise<RecordedCall[]> {
    const isThere = typeof wanted === 'number' ? () => this.calls.length >= wanted : () => wanted(this.calls);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.changes.off('change', look);
        act();
      };
      const look = () => isThere() && settle(() => resolve([...this.calls]));
      const timer = setTimeout(() => settle(() => reject(this.disappointment(wanted, timeoutMs))), timeoutMs);
      this.changes.on('change', look);
      look();
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const startedAt = Date.now();
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const call = record(request, Buffer.concat(chunks).toString(), startedAt);
      this.calls.push(call);
      response.once('close', () => {
        call.endedAt = Date.now();
        if (!response.writableFinished) call.aborted = true;
        this.changes.emit('change');
      });
      this.react(call, response);
      this.changes.emit('change');
    });
  }

  private react(call: RecordedCall, response: ServerResponse): void {
    const reaction = this.reactions.get(call.path) ?? this.reactions.get('*') ?? {};
    const behaviour = typeof reaction === 'function' ? reaction(call, this.callsTo(call.path).length) : reaction;
    if (behaviour.hang) return;
    if (behaviour.after) return void behaviour.after.then(() => response.destroyed || answer(response, behaviour));
    if (!behaviour.delayMs) return answer(response, behaviour);
    const timer = setTimeout(() => answer(response, behaviour), behaviour.delayMs);
    response.once('close', () => clearTimeout(timer));
  }

  private disappointment(wanted: unknown, timeoutMs: number): Error {
    const seen = this.calls.slice(-5).map((call) => `${call.method} ${call.url}`);
    const what = typeof wanted === 'number' ? `${wanted} calls` : 'the calls waited for';
    return new Error(`not ${what} within ${timeoutMs} ms: ${this.calls.length} came, last ${JSON.stringify(seen)}`);
  }
}

export const startTargetStub = (port?: number): Promise<TargetStub> => TargetStub.start(port);

function record(request: IncomingMessage, body: string, startedAt: number): RecordedCall {
  const url = request.url ?? '/';
  return {
    method: request.method ?? 'GET',
    url,
    path: url.split('?', 1)[0],
    headers: request.headers,
    runId: request.headers['x-punctual-run-id'] as string | undefined,
    body,
    startedAt,
  };
}

function answer(response: ServerResponse, { status, body = 'ok', headers = {}, redirect }: Behaviour): void {
  const isPlain = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status ?? (redirect ? 302 : 200), {
    'content-type': isPlain ? 'text/plain' : 'application/json',
    ...(redirect ? { location: redirect } : {}),
    ...headers,
  });
  response.end(isPlain ? body : JSON.stringify(body));
}
