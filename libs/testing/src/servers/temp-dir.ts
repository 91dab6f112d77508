import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A fresh folder that other accounts may pass through: as root, servers run under another one. */
export function makeTempDir(purpose: string, below = os.tmpdir()): string {
  const folder = fs.mkdtempSync(path.join(below, `punctual-${purpose}-`));
  fs.chmodSync(folder, 0o755);
  return folder;
}

export function removeDir(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
