import type { ExpectedIndex, MigrationStatus } from '#database';
import { advice, type Finding, ok, wrong } from '../finding.js';

const list = (names: readonly string[]): string => names.join(', ');

export function checkMigrations({ applied, missing, unfinished, unknown, changed }: MigrationStatus): Finding[] {
  const findings: Finding[] = [];
  const say = (finding: Finding, names: readonly string[]) => names.length > 0 && findings.push(finding);
  const repair =
    'repair the tables, then set finished_at (done) or rolled_back_at (to try again) on its row in _prisma_migrations';
  say(wrong('migrations', `begun and not ended: ${list(unfinished)}`, repair), unfinished);
  const start = 'start an API or a worker of this version: it applies them';
  say(wrong('migrations', `not applied yet: ${list(missing)}`, start), missing);
  const update = 'use the version the processes use: this one is older than its tables';
  say(advice('migrations', `applied by a newer version: ${list(unknown)}`, update), unknown);
  const restore = 'bring the files of the released version back: an applied migration is never edited';
  say(wrong('migrations', `applied with another text: ${list(changed)}`, restore), changed);
  return findings.length > 0 ? findings : [ok('migrations', `all ${applied} are applied`)];
}

/** `found`: every index there is, and whether it can be used. */
export function checkIndexes(expected: readonly ExpectedIndex[], found: ReadonlyMap<string, boolean>): Finding[] {
  const problems = expected.flatMap(({ name, statement }) => {
    if (found.get(name) === false)
      return [wrong('indexes', `${name} was not built to its end`, `REINDEX INDEX "${name}";`)];
    return found.has(name) ? [] : [wrong('indexes', `${name} is missing`, statement)];
  });
  return problems.length > 0 ? problems : [ok('indexes', `all ${expected.length} are there`)];
}
