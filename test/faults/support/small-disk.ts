import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDir, removeDir } from '#testing';
import type { World } from './world.js';

/** A place for a database that can be filled up and emptied again. */
export interface SmallDisk {
  /** How it is done, for the report. */
  how: string;
  /** Where the database's data goes; undefined: wherever. */
  below?: string;
  fill(serverPid: number): void;
  empty(serverPid: number): void;
}

/** A tmpfs takes root. Without it, the server's files may not grow any more while the disk counts as full. */
export function smallDisk(world: World, size: string): SmallDisk {
  const folder = process.env.FAULTS_NO_MOUNT ? undefined : mountTmpfs(world, size);
  if (folder === undefined) return LIMITED;
  const filler = path.join(folder, 'filler');
  return {
    how: `a tmpfs of ${size}`,
    below: folder,
    fill: () => writeUntilFull(filler),
    empty: () => fs.rmSync(filler),
  };
}

function mountTmpfs(world: World, size: string): string | undefined {
  const folder = makeTempDir('small-disk');
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder]);
  if (status !== 0) return void removeDir(folder);
  return world.kept(folder, () => {
    spawnSync('umount', [folder]);
    removeDir(folder);
    return Promise.resolve();
  });
}

function writeUntilFull(file: string): void {
  const handle = fs.openSync(file, 'w');
  for (const size of [1 << 20, 1 << 12]) {
    try {
      for (;;) fs.writeSync(handle, Buffer.alloc(size));
    } catch {
      // Full, for pieces of this size.
    }
  }
  fs.closeSync(handle);
}

const LIMITED: SmallDisk = {
  how: 'a limit to the size of files (no tmpfs could be mounted)',
  fill: (pid) => limitFiles(pid, '65536:unlimited'),
  empty: (pid) => limitFiles(pid, 'unlimited:unlimited'),
};

/** Of a server and of the processes it has started. */
function limitFiles(pid: number, limit: string): void {
  const children = `/proc/${pid}/task/${pid}/children`;
  const pids = fs.existsSync(children) ? [String(pid), ...fs.readFileSync(children, 'utf8').trim().split(/\s+/)] : [];
  for (const one of pids.filter(Boolean)) spawnSync('prlimit', ['--pid', one, `--fsize=${limit}`]);
}
