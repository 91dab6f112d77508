import type { Executor } from '../task/words.js';

/** A run on its way to the queue: when its call is due, and how much it hurries. */
export interface RunToDispatch {
  id: string;
  priority: number;
  /** Epoch milliseconds. */
  dueAt: number;
  /** Who does its work; HTTP unless it is said. What agents do is in no queue. */
  executor?: Executor;
  /** The trace it belongs to, where that is known: for those who watch. */
  traceId?: string;
}

/** What one queue job carries: runs of one due second and one priority. */
export interface Dispatch {
  id: string;
  priority: number;
  dueAt: number;
  runs: string[];
}

export interface DispatchSizing {
  /** Most runs one dispatch carries. */
  size: number;
  /** Into how many dispatches a batch is split before they grow: few runs travel one each, so that the fleet shares them. */
  share: number;
}

/**
 * Groups runs by due second and priority, and cuts each group into dispatches; what was due before is due in the second of
 * `now`, so that a backlog of many seconds travels as few jobs as a herd of one. The id is keyed by the second; shard and
 * number keep two schedulers apart. It proves nothing: SQL does.
 */
export function dispatchesOf(
  runs: readonly RunToDispatch[],
  { size, share }: DispatchSizing,
  now: number,
  idOf: (second: number) => string,
): Dispatch[] {
  const thisSecond = Math.floor(now / 1000);
  const groups = new Map<string, RunToDispatch[]>();
  for (const run of runs) {
    const key = `${Math.max(thisSecond, Math.floor(run.dueAt / 1000))}/${run.priority}`;
    const group = groups.get(key);
    if (group) group.push(run);
    else groups.set(key, [run]);
  }
  return [...groups].flatMap(([key, group]) =>
    cut(group, Math.min(size, Math.ceil(group.length / share)), () => idOf(parseInt(key))),
  );
}

function cut(group: RunToDispatch[], length: number, newId: () => string): Dispatch[] {
  const [{ priority }] = group;
  const parts: Dispatch[] = [];
  for (let at = 0; at < group.length; at += length) {
    const part = group.slice(at, at + length);
    // The last of them decides: a retry that a target asked to wait for must not come early.
    const latest = Math.max(...part.map((run) => run.dueAt));
    parts.push({ id: newId(), priority, dueAt: latest, runs: part.map((run) => run.id) });
  }
  return parts;
}
