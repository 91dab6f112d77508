/** An index that the migrations make: its name, and a statement that makes it. */
export interface ExpectedIndex {
  name: string;
  statement: string;
}

const CREATE = /CREATE (?:UNIQUE )?INDEX ["`](\w+)["`] ON [^;]+;/g;
const DROP = /DROP INDEX (?:IF EXISTS )?["`](\w+)["`]/g;
const TABLE = /(?:CREATE|ALTER) TABLE `(\w+)`/;
/** MySQL's, a line inside CREATE TABLE or ALTER TABLE. */
const KEY = /((?:UNIQUE )?(?:INDEX|KEY) `(\w+)`\s*\(.*\))[,;]?$/;

/** What indexes there are after these scripts, in this order. */
export function expectedIndexes(scripts: readonly string[]): ExpectedIndex[] {
  const expected = new Map<string, string>();
  for (const script of scripts) {
    for (const [statement, name] of script.matchAll(CREATE)) expected.set(name, statement.replaceAll(/\s+/g, ' '));
    for (const { name, statement } of keysOf(script)) expected.set(name, statement);
    for (const [, name] of script.matchAll(DROP)) expected.delete(name);
  }
  return [...expected].map(([name, statement]) => ({ name, statement }));
}

function keysOf(script: string): ExpectedIndex[] {
  let table = '';
  return script.split('\n').flatMap((line) => {
    table = TABLE.exec(line)?.[1] ?? table;
    const [, key, name] = KEY.exec(line.trim()) ?? [];
    return name === undefined ? [] : [{ name, statement: `ALTER TABLE \`${table}\` ADD ${key};` }];
  });
}
