import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/security.md'), 'utf8');
const PARTS = ['apps', 'libs', 'test'];

const cited = [...new Set([...PAGE.matchAll(/`([^`\s]+)`/g)].map(([, text]) => text))];
const specs = PARTS.flatMap((part) => fs.readdirSync(path.join(ROOT, part), { recursive: true, encoding: 'utf8' }))
  .filter((file) => file.endsWith('.spec.ts'))
  .map((file) => path.basename(file, '.ts'));

describe('docs/security.md', () => {
  const names = cited.filter((text) => /^[\w-]+\.spec$/.test(text));
  const files = cited.filter((text) => /^(apps|libs|test|scripts|docs|deploy)\//.test(text));

  it('names tests and files', () => {
    expect(names.length).toBeGreaterThan(30);
    expect(files.length).toBeGreaterThan(4);
  });

  it.each(names)('names %s, and there is one test of that name', (name) => {
    expect(specs.filter((spec) => spec === name)).toEqual([name]);
  });

  it.each(files)('names %s, which is there', (file) => {
    expect(fs.existsSync(path.join(ROOT, file))).toBe(true);
  });

  it('has a test in every line of its threats', () => {
    const rows = PAGE.slice(PAGE.indexOf('## Threats'))
      .split('\n')
      .filter((line) => /^\| (?!who, and|-)/.test(line));
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter((row) => !/\.spec(\.ts)?`[^|]*\|$/.test(row))).toEqual([]);
  });

  it('gives a reason for every package at run time', () => {
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const named = Object.keys(dependencies).filter((name) => PAGE.includes(`\`${name}\``));
    expect(named).toEqual(Object.keys(dependencies));
  });
});
