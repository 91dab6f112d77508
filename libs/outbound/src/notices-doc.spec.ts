import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';

const docs = path.resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(path.join(docs, 'notices.md'), 'utf8');
const vectors = JSON.parse(readFileSync(path.join(docs, 'notice-vectors.json'), 'utf8')) as Record<string, string>[];

/** The only block of the page in that language. */
const example = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``).exec(page)![1];

/** Asks of every vector, at its time: is it genuine as it is, with another body, with another key, ten minutes later? */
const TYPESCRIPT = `
import { readFileSync } from 'node:fs';
const ask = (one, now, body = one.body, sk = one.sk) => {
  Date.now = () => now * 1000;
  const target = one.query === '' ? one.path : one.path + '?' + one.query;
  const headers = { 'x-punctual-timestamp': String(one.timestamp), 'x-punctual-nonce': one.nonce, 'x-punctual-signature': one.x_punctual_signature };
  return isGenuine(one.method, target, headers, Buffer.from(body), sk);
};
const answers = JSON.parse(readFileSync(0, 'utf8')).map((one) =>
  [ask(one, one.timestamp), ask(one, one.timestamp, one.body + ' '), ask(one, one.timestamp, one.body, 'another'), ask(one, one.timestamp + 600)]);
console.log(JSON.stringify(answers));
`;
const PYTHON = `
import json, sys
def ask(one, now, body=None, sk=None):
    time.time = lambda: now
    target = one["path"] + ("?" + one["query"] if one["query"] else "")
    headers = {"x-punctual-timestamp": str(one["timestamp"]), "x-punctual-nonce": one["nonce"], "x-punctual-signature": one["x_punctual_signature"]}
    return is_genuine(one["method"], target, headers, (one["body"] if body is None else body).encode(), sk or one["sk"])
def answers(one):
    at = one["timestamp"]
    return [ask(one, at), ask(one, at, one["body"] + " "), ask(one, at, sk="another"), ask(one, at + 600)]
print(json.dumps([answers(one) for one in json.loads(sys.stdin.buffer.read())]))
`;

describe('the verification examples of docs/notices.md', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'punctual-notices-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const answersOf = (command: string, name: string, code: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, code);
    const options = { input: JSON.stringify(vectors), encoding: 'utf8' as const };
    return JSON.parse(execFileSync(command, [file], options)) as boolean[][];
  };
  const expected = vectors.map(() => [true, false, false, false]);

  it('tell the genuine from the others in TypeScript', () => {
    const syntax = { jsc: { parser: { syntax: 'typescript' as const }, target: 'es2022' as const } };
    const code = transformSync(example('ts'), syntax).code;
    expect(answersOf(process.execPath, 'verify.mjs', code + TYPESCRIPT)).toEqual(expected);
  });

  const hasPython = works('python3');
  if (!hasPython) console.log('skipped: the Python example is not tried, python3 is missing');
  (hasPython ? it : it.skip)('tell the genuine from the others in Python', () => {
    expect(answersOf('python3', 'verify.py', example('python') + PYTHON)).toEqual(expected);
  });
});

function works(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
