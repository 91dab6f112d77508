import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process, told apart from a later one that got the same number. */
export interface ProcessMark {
  pid: number;
  /** In the kernel's ticks since the machine started. */
  startedAt: string;
  /** This start of this machine, and which numbers of it are meant: a container has its own. */
  machine: string;
}

const text = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);

/** Null for a process that has ended, and where there is no /proc: then nothing can be said about any. */
export async function markOf(pid: number): Promise<ProcessMark | null> {
  const [stat, boot, numbers] = await Promise.all([
    text(`/proc/${pid}/stat`),
    text('/proc/sys/kernel/random/boot_id'),
    readlink('/proc/self/ns/pid').catch(() => null),
  ]);
  if (stat === null || boot === null || numbers === null) return null;
  // The name stands in brackets and may hold anything; what comes after the last one is the third field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // It has ended, only nobody has asked how.
  if (fields[0] === 'Z') return null;
  return { pid, startedAt: fields[19], machine: `${boot.trim()} ${numbers}` };
}

export interface MarkedProcess {
  pid: number;
  value: string;
}

/** All processes whose environment has that variable, with its value. What we may not look into is not ours. */
export async function processesWith(variable: string): Promise<MarkedProcess[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const environment = (await text(`/proc/${name}/environ`)) ?? '';
        const entry = environment.split('\0').find((one) => one.startsWith(`${variable}=`));
        return entry === undefined ? [] : [{ pid: Number(name), value: entry.slice(variable.length + 1) }];
      }),
  );
  return found.flat();
}
