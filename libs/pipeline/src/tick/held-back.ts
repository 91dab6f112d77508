/**
 * Tasks that have had their share of catching up in this second. They are still due, so without this the next batch, or
 * the second look, would take them again at once, and what is on time would wait behind them.
 */
export class HeldBack {
  private second = -1;
  private readonly tasks = new Set<bigint>();

  /** Those of the second that `now` (epoch milliseconds) is in: a new second lets go of all. */
  at(now: number): bigint[] {
    const second = Math.floor(now / 1000);
    if (second !== this.second) this.tasks.clear();
    this.second = second;
    return [...this.tasks];
  }

  /** Those of the tasks that are not held back by now: some may have been while they were being claimed. */
  without<Task extends { id: bigint }>(tasks: readonly Task[], now: number): readonly Task[] {
    const held = new Set(this.at(now));
    return held.size === 0 ? tasks : tasks.filter(({ id }) => !held.has(id));
  }

  add(tasks: readonly bigint[]): void {
    for (const task of tasks) this.tasks.add(task);
  }
}
