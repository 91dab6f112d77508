import fs from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** CPU time of a process so far, user and system, in milliseconds; with that of its children for a server that forks. */
function cpuMs(pid: number, { family = false } = {}): number {
  const stat = statOf(pid);
  if (!stat) return 0;
  if (!family) return stat.own;
  return childrenOf(pid).reduce((sum, child) => sum + (statOf(child)?.own ?? 0), stat.own + stat.gone);
}

function statOf(pid: number): { own: number; gone: number; parent: number } | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user, system, goneUser, goneSystem] = fields.slice(11, 15);
    return { own: (user + system) * TICK_MS, gone: (goneUser + goneSystem) * TICK_MS, parent: fields[1] };
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  const all = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((other) => statOf(other)?.parent === pid);
}

export type Watched = Record<string, number>;

/** CPU time by process from now on: a busy machine makes everything slower, but hardly anything dearer. */
export class CpuMeter {
  private readonly began: Watched;

  /** @param pids by name; a name that starts with `database` is a server with children */
  constructor(private readonly pids: Watched) {
    this.began = this.read();
  }

  /** Microseconds per run, by process. */
  perRun(runs: number): Watched {
    const now = this.read();
    return Object.fromEntries(Object.keys(now).map((name) => [name, ((now[name] - this.began[name]) * 1000) / runs]));
  }

  private read(): Watched {
    if (process.platform !== 'linux') return {};
    const entries = Object.entries(this.pids);
    return Object.fromEntries(entries.map(([name, pid]) => [name, cpuMs(pid, { family: name === 'database' })]));
  }
}

/** `worker 88 · database 130`, rounded: the clock behind it is coarse. */
export function sayCpu(perRun: Watched): string {
  const parts = Object.entries(perRun).map(([name, us]) => `${name} ${Math.round(us)}`);
  return parts.length === 0 ? '' : `µs CPU a run: ${parts.join(' · ')}`;
}
