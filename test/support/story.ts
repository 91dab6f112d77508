import { expect } from '@jest/globals';
import type { ClaimedRun } from '#database';
import type { Row } from '../model/product.js';
import type { CallbackEnding, Definition, Ending, Policies } from '../model/reference-task.js';
import type { Stored } from '../model/stored.js';

const DEFAULTS: Definition = {
  overlapAction: 'ALLOW',
  failureAction: 'RUN_NEW',
  concurrencyPolicy: 'QUEUE',
  maxConcurrency: 1,
  queueLimit: 1000,
  maxAttempts: 1,
  needManual: false,
  catchUpMode: 'NONE',
  catchUpLimit: 100,
};

const HOLDS_A_SLOT = ['SCHEDULED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING'];

/** Stories follow one another in time, so that what one has left is in the past of the next. */
let begin = Date.parse('2026-01-05T10:00:00Z');

/** One task that fires every second, and what becomes of its runs, which are known by their number: 1, 2, 3, … as they appeared. */
export class Story {
  private taskId: bigint;
  private now = (begin += 3_600_000) + 20;
  private readonly ids: string[] = [];
  private readonly executions = new Map<number, ClaimedRun>();

  private constructor(
    private readonly product: Stored,
    private definition: Definition,
  ) {}

  static async of(product: Stored, fields: Partial<Definition> = {}): Promise<Story> {
    await product.forget();
    const story = new Story(product, { ...DEFAULTS, ...fields });
    story.taskId = await product.create(story.definition, Math.floor(story.now / 1000) + 1);
    return story;
  }

  /** So many seconds, each decided on time. */
  async tick(times = 1): Promise<void> {
    for (let i = 0; i < times; i++) await this.tickAfter(1);
  }

  /** All seconds that have become due since the last tick, decided together. */
  async tickAfter(seconds: number): Promise<void> {
    this.now += seconds * 1000;
    await this.product.tick(this.now);
    await this.number();
  }

  async demand(): Promise<void> {
    await this.product.trigger(this.taskId, ++this.now);
    await this.number();
  }

  async start(run: number): Promise<void> {
    const execution = await this.product.claim(this.ids[run - 1], this.now);
    this.executions.set(run, execution!);
  }

  /** Ends the execution that was started last; says whether that changed anything. */
  async end(run: number, ending: Ending = 'success'): Promise<boolean> {
    const { settled } = await this.product.settle(this.executions.get(run)!, ending, this.definition, ++this.now);
    return settled;
  }

  async run(run: number, ending: Ending = 'success'): Promise<void> {
    await this.start(run);
    expect(await this.end(run, ending)).toBe(true);
  }

  /** Its target has taken the work on, and will call back. */
  async accept(run: number): Promise<void> {
    expect(await this.product.accept(this.executions.get(run)!, ++this.now)).toBe(true);
  }

  async callBack(run: number, ending: CallbackEnding = 'success'): Promise<void> {
    expect(await this.product.callBack(this.executions.get(run)!, ending, ++this.now)).toMatchObject({ settled: true });
  }

  async cancel(run: number): Promise<void> {
    await this.product.cancel(this.ids[run - 1], this.now);
  }

  /** The workers of everything that runs have been gone for so long that rescue has noticed. Seconds pass without a tick. */
  async loseWorkers(): Promise<void> {
    this.now += 40_000;
    await this.product.rescue([], this.now);
  }

  async change(policies: Partial<Policies>): Promise<void> {
    this.definition = { ...this.definition, ...policies };
    await this.product.change(this.taskId, policies, this.now);
  }

  disable = () => this.product.setEnabled(this.taskId, false, this.now);
  delete = () => this.product.delete(this.taskId, this.now);

  /** Each run in a few words, in the order they appeared: its state or why it was skipped, for whom, and a `tick_attempt` above 1. */
  async tells(...expected: string[]): Promise<void> {
    const { rows, activeRuns, queuedRuns } = await this.product.look(this.taskId);
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(this.ids.map((id) => this.shown(byId.get(id)!))).toEqual(expected);
    const count = (...states: string[]) => rows.filter(({ status }) => states.includes(status)).length;
    expect([activeRuns, queuedRuns]).toEqual([count(...HOLDS_A_SLOT), count('QUEUED')]);
  }

  private shown({ status, skipReason, blockedBy, tickAttempt }: Row): string {
    const blocker = blockedBy === null ? '' : ` for ${this.ids.indexOf(blockedBy) + 1}`;
    return `${skipReason ?? status}${blocker}${tickAttempt > 1 ? ` #${tickAttempt}` : ''}`;
  }

  private async number(): Promise<void> {
    const { rows } = await this.product.look(this.taskId);
    this.ids.push(...rows.map(({ id }) => id).filter((id) => !this.ids.includes(id)));
  }
}
