import type { Random } from './random.js';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
};

/** What nobody means well with. */
export const HOSTILE: readonly unknown[] = [
  ...[null, true, '', ' ', 0, -1, 1.5, -0, 1e308, 2 ** 53, 2 ** 31, -(2 ** 63), [], {}, [[]]],
  ...['\u0000', '\ud800', 'a\r\nb: c', '\u202e\u2028', '🙂'.repeat(50), 'x'.repeat(5_000), 'x'.repeat(70_000)],
  ...["' OR '1'='1", '"; DROP TABLE tasks; --', '${7*7}', '{{payload.__proto__}}', '{{', '{{run_id}}'.repeat(500)],
  ...['../../etc/passwd', 'file:///etc/passwd', 'http://169.254.169.254/', 'http://user:pw@x/', 'javascript:1', '//x'],
  ...[
    'NaN',
    'Infinity',
    '1e1000',
    '0x10',
    '２０２６',
    '2026-02-30T25:61:61Z',
    '9999-99-99T00:00:00Z',
    '+275760-09-13T00:00:00Z',
  ],
  ...['* * * * * * *', '@every 0s', '*/0 * * * *', '59-0 * * * *', 'CRON_TZ=/etc/passwd * * * * *', '0 0 31 2 *'],
  ...[
    { constructor: { name: 'x' } },
    { toString: 1, valueOf: 2 },
    { length: 1e9 },
    { $ne: 1 },
    { secret: true },
    { secret: 'x' },
  ],
  ...[nested(27), nested(60), nested(3_000), Array(3_000).fill(0), Array(200).fill({ a: 'x' })],
  Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [`k${i}`, 1])),
];

export const HOSTILE_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  '\u0000',
  'a.b',
  'a[0]',
  'id',
  'tenant_id',
];

/** Segments of an address, written as they go out. */
export const HOSTILE_SEGMENTS = [
  ...[
    '0',
    '-1',
    '1',
    '9223372036854775807',
    '9223372036854775808',
    '9'.repeat(60),
    '1e3',
    '0x1',
    '01',
    '%00',
    '%zz',
    '%',
  ],
  ...[
    '..%2f..%2fetc',
    '%2e%2e',
    'null',
    'undefined',
    '__proto__',
    '%F0%9F%99%82',
    '%ff',
    '1767225600-1',
    '1767225600-',
    '-1',
    "1'",
  ],
  ...['%20', '1%2F2', 'x'.repeat(255), 'x'.repeat(300), '{id}', '*', '1;2', 'msg_0', '٣'].map((text) =>
    text.replace('٣', '%D9%A3'),
  ),
];

export const HOSTILE_HEADERS: readonly [string, string][] = [
  ...['"1"', 'W/"1"', '*', '"', '1', 'x'.repeat(300), '"99999999999999999999"'].map((v): [string, string] => [
    'if-match',
    v,
  ]),
  ...['k', 'x'.repeat(255), 'x'.repeat(256), ' ', 'é', 'same'].map((v): [string, string] => ['idempotency-key', v]),
  ...['00-0-0-0', 'x', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, '', 'f'.repeat(2_000)].map(
    (v): [string, string] => ['traceparent', v],
  ),
  ...['Bearer', 'Bearer x', `Bearer ${'a'.repeat(43)}`, 'Basic eDp5', 'x'.repeat(5_000)].map((v): [string, string] => [
    'authorization',
    v,
  ]),
  ...['text/plain', 'application/xml', 'application/json; charset=utf-16', 'application/merge-patch+json', 'x', ''].map(
    (v): [string, string] => ['content-type', v],
  ),
  ...([
    ['accept', 'text/html'],
    ['accept-encoding', 'gzip, bomb'],
    ['x-forwarded-for', '::'],
    ['x-http-method-override', 'DELETE'],
  ] as [string, string][]),
];

/** Changes a value in one place: another type, another key, one key less, one item more. */
export function mutate(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return random.one(HOSTILE);
  if (Array.isArray(value)) return mutateItem(value, random);
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(0.2)) return { ...value, [random.one(HOSTILE_KEYS)]: random.one(HOSTILE) };
  const [key, inner] = random.one(entries) as [string, unknown];
  if (random.chance(0.15)) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return { ...value, [key]: mutate(inner, random) };
}

function mutateItem(items: readonly unknown[], random: Random): unknown[] {
  if (items.length === 0 || random.chance(0.3)) return [...items, random.one(HOSTILE)];
  const at = random.below(items.length);
  return items.map((item, index) => (index === at ? mutate(item, random) : item));
}

/** Bytes that are not the JSON they were. */
export function spoil(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return random.one([
    () => text.slice(0, at),
    () => `${text.slice(0, at)}${random.one(['\u0000', '}', '"', ',', '\\u', '\ufeff', '1e999'])}${text.slice(at)}`,
    () => `{"__proto__":${text}}`,
    () => `{"a":${text},"a":1}`,
    () => `\ufeff${text}`,
    () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    () => `{"name":"x","payload":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
    () => '',
    () => 'null',
    () => `[${text}]`,
    () => `{"name":${'9'.repeat(400)}}`,
  ])();
}
