import { type Behaviour, eventually, type RecordedCall, TargetStub } from '#testing';

/** One call as the target saw it. */
export interface LoggedCall {
  /** Its number, which is also what the target answered: a result names the call it came from. */
  nth: number;
  runId: string;
  taskId: string;
  attempt: number;
  /** The parent span it was given: the first half of the id of the execution that called. */
  span: string;
  /** The due second, in seconds since 1970. */
  due: number;
  /** In milliseconds, by this machine's clock, which is the database's as well. */
  startedAt: number;
  endedAt?: number;
  aborted?: boolean;
}

type Reaction = (call: LoggedCall) => Behaviour;

/** A target that logs run, attempt, execution, start and end of every call, and answers each with a number of its own. */
export class TargetLog {
  private readonly logged = new Map<RecordedCall, number>();
  private count = 0;

  private constructor(readonly stub: TargetStub) {}

  static async start(port?: number): Promise<TargetLog> {
    const log = new TargetLog(await TargetStub.start(port));
    log.on('*', () => ({}));
    return log;
  }

  get url(): string {
    return this.stub.url;
  }

  /** What a path does; what it answers with is the call's number, unless it says something else. */
  on(path: string, reaction: Reaction): this {
    this.stub.on(path, (recorded) => {
      const nth = ++this.count;
      this.logged.set(recorded, nth);
      return { body: { nth }, ...reaction(toCall(recorded, nth)) };
    });
    return this;
  }

  get calls(): LoggedCall[] {
    return [...this.logged].map(([recorded, nth]) => toCall(recorded, nth));
  }

  /** As if those runs had never been: their rows were taken away, too. */
  forget(runIds: ReadonlySet<string>): void {
    for (const [recorded, nth] of this.logged)
      if (runIds.has(toCall(recorded, nth).runId)) this.logged.delete(recorded);
  }

  callsOf(runId: string): LoggedCall[] {
    return this.calls.filter((call) => call.runId === runId);
  }

  get size(): number {
    return this.logged.size;
  }

  /** The call of that attempt, once it has come. */
  called(runId: string, attempt = 1, timeoutMs = 240_000): Promise<LoggedCall> {
    const find = () => this.callsOf(runId).find((call) => call.attempt === attempt);
    const what = () => `attempt ${attempt} of ${runId} at the target; it had ${JSON.stringify(this.callsOf(runId))}`;
    return eventually(() => Promise.resolve(find()), what, timeoutMs);
  }

  close(): Promise<void> {
    return this.stub.close();
  }
}

function toCall(recorded: RecordedCall, nth: number): LoggedCall {
  const runId = recorded.runId ?? '';
  const { startedAt, endedAt, aborted, headers } = recorded;
  const due = Math.floor(Date.parse(String(headers['x-punctual-scheduled-time'])) / 1000);
  const attempt = Number(headers['x-punctual-attempt']);
  const span = String(headers.traceparent).split('-')[2] ?? '';
  return { nth, runId, taskId: runId.split('-')[1] ?? '', attempt, span, due, startedAt, endedAt, aborted };
}
