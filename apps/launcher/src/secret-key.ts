import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const NAME = 'secret.key';

/**
 * The key that seals secrets in the database, as SECRET_KEYS has it: made once, kept beside the data it belongs to,
 * readable by its owner alone. Without it what was sealed is lost, so it is never made anew while the file is there.
 */
export function localSecretKeys(dataDir: string): string {
  const file = path.join(dataDir, NAME);
  if (!fs.existsSync(file)) write(file, `local:${randomBytes(32).toString('base64')}`);
  return fs.readFileSync(file, 'utf8').trim();
}

/** Whole or not at all: a crash in between must not leave half a key. */
function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
  fs.renameSync(draft, file);
}
