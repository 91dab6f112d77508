import { describe, expect, it } from '@jest/globals';
import { asCurl, fuzzRequest } from './fuzz-request.js';
import { complaintAbout } from './judge.js';
import { type OpenApi, operationsOf } from './open-api.js';
import { Random } from './random.js';

const problem = (status: number, fields: object = {}) => ({
  ...{ status, type: 'application/problem+json; charset=utf-8', ms: 1 },
  text: JSON.stringify({ status, detail: 'no', trace_id: 'a', ...fields }),
});

describe('what is said of an answer', () => {
  it.each([
    ['a yes', { status: 200, type: 'application/json', text: '{}', ms: 1 }, null],
    ['a problem', problem(422), null],
    ['a 5xx', problem(503), 'answered 503'],
    ['none', { status: 0, type: '', text: 'aborted', ms: 1 }, 'no answer: aborted'],
    [
      'a refusal that is no problem',
      { ...problem(404), type: 'text/html' },
      'answered 404 as "text/html" instead of a problem',
    ],
    ['another status inside', { ...problem(404), status: 400 }, 'answered 400 with a problem that is none'],
    ['a stack', problem(400, { stack: 'at run (/srv/a.js:1:2)' }), 'shows its inside: at run ('],
    ['a statement', problem(400, { detail: 'SELECT a FROM b' }), 'shows its inside: SELECT a FROM'],
  ])('%s', (_title, answer, complaint) =>
    expect(complaintAbout({ method: 'POST', path: '/x' }, answer)).toBe(complaint),
  );
});

describe('requests from an OpenAPI document', () => {
  const document: OpenApi = {
    paths: {
      '/things/{id}': {
        put: {
          parameters: [
            { name: 'id', in: 'path' },
            { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 9 } },
          ],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        },
      },
    },
    components: {
      schemas: {
        Thing: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 3 } } },
      },
    },
  };
  const [operation] = operationsOf(document);
  const made = (seed: number) =>
    fuzzRequest(document, operation, new Random(seed), { ids: ['7'], executions: new Map() });

  it('are the same for the same seed, and can be sent', () => {
    for (let seed = 0; seed < 500; seed++) {
      expect(made(seed)).toEqual(made(seed));
      expect(made(seed).path).toMatch(/^\/things\/[\x21-\x7e]+$/);
      expect(asCurl('http://h', made(seed))).toContain('curl -i -X PUT');
    }
  });

  it('are as the document says often enough to get behind the checks, and wrong often enough', () => {
    const isGood = (body = '') => /^\{"name":"[\w-]{3,}"\}$/.test(body);
    const good = Array.from({ length: 500 }, (_, seed) => made(seed)).filter(({ body }) => isGood(body)).length;
    expect(good).toBeGreaterThan(100);
    expect(good).toBeLessThan(400);
  });
});
