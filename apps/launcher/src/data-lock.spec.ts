import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lockData } from './data-lock.js';

describe('the lock on a data directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'punctual-lock-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('is for one at a time, and says who has it and what to do', () => {
    const lock = lockData(folder, 'http://127.0.0.1:3000');
    expect(lock.tookOver).toBe(false);
    expect(() => lockData(folder, 'http://127.0.0.1:3001')).toThrow(
      new RegExp(`already runs .*pid ${process.pid}, http://127.0.0.1:3000.*DATA_DIR=.*PORT=3001 npm start`),
    );
    lock.release();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('is taken over from a launcher that was killed', () => {
    fs.writeFileSync(path.join(folder, 'launcher.lock'), JSON.stringify({ pid: 999_999_999, born: '1', url: '' }));
    expect(lockData(folder, '').tookOver).toBe(true);
  });

  it('is taken over when its pid belongs to another process by now', () => {
    fs.writeFileSync(path.join(folder, 'launcher.lock'), JSON.stringify({ pid: process.pid, born: 'before', url: '' }));
    expect(lockData(folder, '').tookOver).toBe(true);
  });

  it('is taken over when it is unreadable', () => {
    fs.writeFileSync(path.join(folder, 'launcher.lock'), '');
    expect(lockData(folder, '').tookOver).toBe(true);
  });
});
