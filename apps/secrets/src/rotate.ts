import type { SecretBox } from '#config';
import { type Database, taskSecretsAfter, writeTaskSecrets } from '#database';
import { type Findings, noFindings, reseal } from './reseal.js';

const PAGE = 200;
/** A task that somebody changes just then is met again in the next pass; more than a few are not needed. */
const PASSES = 5;

export interface Pass extends Findings {
  tasks: number;
  /** Tasks that were written, and tasks that still have something to seal. */
  written: number;
  left: number;
}

/** Goes through all tasks until a pass finds nothing to do; with `write` off, once. */
export async function rotate(
  database: Database,
  secrets: SecretBox,
  { write }: { write: boolean },
  progress: (line: string) => void,
): Promise<{ first: Pass; last: Pass }> {
  const first = await onePass(database, secrets, write, progress);
  let last = first;
  for (let pass = 2; write && last.written + last.left > 0 && pass <= PASSES; pass++) {
    last = await onePass(database, secrets, write, progress);
  }
  return { first, last };
}

async function onePass(database: Database, secrets: SecretBox, write: boolean, progress: (line: string) => void) {
  const pass: Pass = { ...noFindings(), tasks: 0, written: 0, left: 0 };
  for (let after = 0n; ;) {
    const page = await taskSecretsAfter(database, after, PAGE);
    const stale = page.map((task) => reseal(task, secrets, pass)).filter((task) => task !== null);
    const written = write ? await writeTaskSecrets(database, stale) : 0;
    pass.tasks += page.length;
    pass.written += written;
    pass.left += stale.length - written;
    progress(`${pass.tasks} tasks gone through, ${pass.written} sealed anew`);
    if (page.length < PAGE) return pass;
    after = page[page.length - 1].id;
  }
}
