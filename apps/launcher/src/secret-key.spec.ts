import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config';
import { localSecretKeys } from './secret-key.js';

describe('the key of the embedded database', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'punctual-key-'));
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  it('is made once, for its owner alone, and is what SECRET_KEYS takes', () => {
    const keys = localSecretKeys(folder);
    expect(localSecretKeys(folder)).toBe(keys);
    expect(fs.statSync(path.join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readConfig({ SECRET_KEYS: keys }).secretKeys.map(({ id }) => id)).toEqual(['local']);
    expect(fs.readdirSync(folder)).toEqual(['secret.key']);
  });
});
