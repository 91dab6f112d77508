// One preparation at a time per checkout: a file that names its holder.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` while holding `file`; waits for a living holder, takes over from a dead one. */
export async function withLock(file, onWait, work) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    if (!told) onWait();
    told = true;
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    dropIfStale(file);
    return false;
  }
}

function dropIfStale(file) {
  const holder = read(file);
  if (holder === undefined || isAlive(holder)) return;
  // Renaming first: of two waiters that see the same dead holder only one moves its file away, and the one that
  // moved a fresh lock by mistake puts it back.
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    if (read(aside) !== holder) fs.linkSync(aside, file);
    fs.rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

function read(file) {
  try {
    // An empty file is a holder between creating and writing: not stale yet, unless it stays so.
    const text = fs.readFileSync(file, 'utf8');
    if (text !== '') return Number(text);
    return Date.now() - fs.statSync(file).mtimeMs > 5000 ? -1 : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
