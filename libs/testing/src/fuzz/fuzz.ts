import { asCurl, type FuzzRequest, fuzzRequest } from './fuzz-request.js';
import { firstRequests } from './first-requests.js';
import { complaintAbout } from './judge.js';
import { type OpenApi, operationsOf } from './open-api.js';
import { Random } from './random.js';
import { type Answered, sender } from './send.js';

export interface FuzzOptions {
  /** Where the product listens. */
  base: string;
  seed: number;
  requests: number;
  concurrency: number;
  /** An answer that takes longer counts as a hang. */
  timeoutMs: number;
  /** Sent with every request that has none of its own. */
  authorization?: string;
  /** Bytes that the product's process holds. */
  memory: () => number;
  progress?: (done: number) => void;
}

export interface Complaint {
  index: number;
  complaint: string;
  request: FuzzRequest;
  curl: string;
}

export interface FuzzReport {
  seed: number;
  requests: number;
  ms: number;
  byStatus: Map<number, number>;
  /** Operations that have never said yes. */
  neverOk: string[];
  slowest: { operation: string; ms: number }[];
  /** Bytes: before, after a quarter of the requests, at the end. */
  memory: { before: number; early: number; end: number };
  complaints: Complaint[];
}

const MOST_IDS = 200;
const SLOWEST = 5;

/** Sends requests made from the product's own OpenAPI document, and looks at every answer. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { base, seed, requests, concurrency } = options;
  const document = (await (await fetch(`${base}/docs/openapi.json`)).json()) as OpenApi;
  const { send, close } = sender(base, concurrency, options.timeoutMs);
  const run = new FuzzRun(document, options);
  for (const request of firstRequests(options.authorization)) run.learn((await send(request)).text);
  const began = performance.now();
  let next = 0;
  const work = async () => {
    while (next < requests) {
      const index = next++;
      const request = run.request(index);
      run.heard(index, request, await send(request));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  close();
  return { seed, requests, ms: performance.now() - began, ...run.result() };
}

class FuzzRun {
  private readonly operations;
  readonly ids: string[] = [];
  readonly executions = new Map<string, string>();
  private readonly ok = new Set<string>();
  private readonly byStatus = new Map<number, number>();
  private readonly slowest: { operation: string; ms: number }[] = [];
  private readonly complaints: Complaint[] = [];
  private readonly before: number;
  private early: number;
  private done = 0;

  constructor(
    private readonly document: OpenApi,
    private readonly options: FuzzOptions,
  ) {
    this.operations = operationsOf(document);
    this.before = this.early = options.memory();
  }

  /** Each has numbers of its own, so that one that was wrong can be made again without those before it. */
  request(index: number): FuzzRequest {
    const random = new Random(Math.imul(this.options.seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
    random.next();
    const operation = this.operations[index % this.operations.length];
    const request = fuzzRequest(this.document, operation, random, this);
    if (this.options.authorization !== undefined) request.headers.authorization ??= this.options.authorization;
    return request;
  }

  heard(index: number, request: FuzzRequest, answer: Answered): void {
    const { operation } = request;
    this.byStatus.set(answer.status, (this.byStatus.get(answer.status) ?? 0) + 1);
    if (answer.status >= 200 && answer.status < 300) {
      this.ok.add(operation);
      this.learn(answer.text);
    }
    this.slowest.push({ operation, ms: Math.round(answer.ms) });
    this.slowest.sort((a, b) => b.ms - a.ms).splice(SLOWEST);
    const complaint = complaintAbout(request, answer);
    if (complaint !== null) {
      this.complaints.push({ index, complaint, request, curl: asCurl(this.options.base, request) });
    }
    this.count();
  }

  result() {
    const neverOk = this.operations.map(({ method, path }) => `${method} ${path}`).filter((name) => !this.ok.has(name));
    const memory = { before: this.before, early: this.early, end: this.options.memory() };
    const { byStatus, slowest, complaints } = this;
    return { byStatus, slowest, complaints, neverOk, memory };
  }

  private count(): void {
    this.done += 1;
    if (this.done === Math.ceil(this.options.requests / 4)) this.early = this.options.memory();
    this.options.progress?.(this.done);
  }

  /** Ids of what there is now, the newest of them. */
  learn(text: string): void {
    for (const [, id] of text.slice(0, 20_000).matchAll(/"id":"([^"]{1,64})"/g)) {
      if (!this.ids.includes(id)) this.ids.push(id);
    }
    this.ids.splice(0, this.ids.length - MOST_IDS);
    for (const [, id, execution] of text.matchAll(/"id":"([^"]{1,64})"[^{}]*"exec_id":"([^"]{1,64})"/g))
      this.executions.set(id, execution);
  }
}
