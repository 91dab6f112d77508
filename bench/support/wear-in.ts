import type { DialectName } from './lab.js';
import { execute } from './fill.js';

/** Of PostgreSQL's log, 16 MB each. */
const SEGMENTS = 60;
/** More than MariaDB's log holds. */
const MEGABYTES = 600;

/**
 * A server that has run for a while writes its log into files that it has had before. A new one has to make them first: PostgreSQL fills
 * each with zeros while whoever commits waits for it, some 50 ms every 16 MB, and what MariaDB has set aside costs more where nothing
 * was written yet. Nobody's server stays new, so all are measured on one that is not.
 */
export const wearIn = (dialect: DialectName, url: string): Promise<void> => execute(url, STATEMENTS[dialect]);

const STATEMENTS: Record<DialectName, string[]> = {
  PostgreSQL: [
    ...Array.from({ length: SEGMENTS }, () => [
      "SELECT pg_logical_emit_message(true, 'bench', 'wears in')",
      'SELECT pg_switch_wal()',
    ]).flat(),
    'CHECKPOINT',
  ],
  MariaDB: [
    'CREATE TABLE worn (piece LONGBLOB NOT NULL)',
    `INSERT INTO worn SELECT REPEAT('x', 1000000) FROM seq_1_to_${MEGABYTES}`,
    'DROP TABLE worn',
  ],
};
