import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The code below a heading of a page of ours: what it tells people to type is what is tested. */
export function codeBelow(page: string, heading: string): string {
  const text = readFileSync(path.join(root, page), 'utf8');
  const below = text.split(`### ${heading}`)[1]?.split('\n#')[0];
  const code = /```\w+\n([\s\S]+?)```/.exec(below ?? '')?.[1];
  if (code === undefined) throw new Error(`${page} has no code below "${heading}"`);
  return code;
}

/** Statements of a block, one each. */
export const statementsBelow = (page: string, heading: string): string[] =>
  codeBelow(page, heading)
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean);
