import { setTimeout as pause } from 'node:timers/promises';

/** How long a task is left alone after its rows could not be had. */
const AGAIN_MS = 500;

/**
 * Lines for tasks whose rows somebody holds: their results wait here, and hold up nobody else's. The lines take turns, so that
 * however many tasks are held, one connection at most waits for them.
 */
export class Aside<Item extends { taskId: bigint }> {
  private readonly lines = new Map<bigint, Item[]>();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    /** Says whether it could be had. */
    private readonly attempt: (items: readonly Item[]) => Promise<boolean>,
    /** Most of a line that one attempt takes; they may not belong to one run. */
    private readonly take: (line: readonly Item[]) => Item[],
  ) {}

  has(taskId: bigint): boolean {
    return this.lines.has(taskId);
  }

  add(item: Item): void {
    const line = this.lines.get(item.taskId);
    if (line) return void line.push(item);
    this.lines.set(item.taskId, [item]);
    void this.serve(item.taskId);
  }

  private async serve(taskId: bigint): Promise<void> {
    const line = this.lines.get(taskId)!;
    while (line.length > 0) {
      const taken = this.take(line);
      const attempt = this.turn.then(() => this.attempt(taken));
      this.turn = attempt.catch(() => undefined);
      if (await attempt) for (const item of taken) line.splice(line.indexOf(item), 1);
      else await pause(AGAIN_MS);
    }
    this.lines.delete(taskId);
  }
}
