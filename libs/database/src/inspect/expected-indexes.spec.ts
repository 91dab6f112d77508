import { describe, expect, it } from '@jest/globals';
import { expectedIndexes } from './expected-indexes.js';

describe('the indexes that migrations make', () => {
  it('are found in either dialect, with what makes them', () => {
    const postgresql =
      'CREATE TABLE "a" ("b" INT);\nCREATE UNIQUE INDEX "a_key" ON "a"("b")\n  INCLUDE ("c");\nCREATE INDEX "a_idx" ON "a"("c");';
    expect(expectedIndexes([postgresql])).toEqual([
      { name: 'a_key', statement: 'CREATE UNIQUE INDEX "a_key" ON "a"("b") INCLUDE ("c");' },
      { name: 'a_idx', statement: 'CREATE INDEX "a_idx" ON "a"("c");' },
    ]);
    const mysql = [
      ...[
        'CREATE TABLE `a` (',
        '  `b` VARCHAR(10),',
        '  UNIQUE INDEX `a_key`(`b`(5), `c`),',
        '  PRIMARY KEY (`b`)',
        ');',
      ],
      'ALTER TABLE `d` ADD INDEX `d_idx`(`e`);',
    ].join('\n');
    expect(expectedIndexes([mysql])).toEqual([
      { name: 'a_key', statement: 'ALTER TABLE `a` ADD UNIQUE INDEX `a_key`(`b`(5), `c`);' },
      { name: 'd_idx', statement: 'ALTER TABLE `d` ADD INDEX `d_idx`(`e`);' },
    ]);
  });

  it('are gone when a later one drops them', () => {
    const scripts = ['CREATE INDEX `a_idx` ON `a`(`b`);', 'DROP INDEX `a_idx` ON `a`;'];
    expect(expectedIndexes(scripts)).toEqual([]);
  });
});
