export type BodyPlace = 'json' | 'form' | 'xml' | 'text';

const KINDS: readonly (readonly [BodyPlace, RegExp])[] = [
  // Many documents one below the other are JSON as far as a value in one of them is concerned.
  ['json', /^[^/]+\/((.+\+)?json|(x-)?(ndjson|jsonl|jsonlines|json-seq)|.+\+json-seq)$/],
  ['form', /^application\/x-www-form-urlencoded$/],
  ['xml', /^([^/]+\/(.+\+)?xml|text\/html)$/],
];

/**
 * How a body of that content type is to be rendered. Without a content type a body is taken for JSON; where we do not know
 * what ends a value (CSV, YAML, plain text) it is put there as it is.
 */
export function bodyPlace(contentType: string | undefined): BodyPlace {
  const type = contentType?.split(';')[0].trim().toLowerCase();
  if (type === undefined || type === '') return 'json';
  return KINDS.find(([, pattern]) => pattern.test(type))?.[0] ?? 'text';
}
