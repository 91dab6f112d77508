import { compileTemplate } from './compile.js';

export type BodyPlace = 'json' | 'form' | 'xml' | 'text';

const KINDS: readonly (readonly [BodyPlace, RegExp])[] = [
  // Many documents one below the other are JSON as far as a value in one of them is concerned.
  ['json', /^[^/]+\/((.+\+)?json|(x-)?(ndjson|jsonl|jsonlines|json-seq)|.+\+json-seq)$/],
  ['form', /^application\/x-www-form-urlencoded$/],
  ['xml', /^([^/]+\/(.+\+)?xml|text\/html)$/],
  ['text', /^text\/plain$/],
];

/** How a body of that content type is to be rendered. Without a content type a body is taken for JSON. */
export function bodyPlace(contentType: string | undefined): BodyPlace {
  return knownPlace(contentType) ?? 'text';
}

function knownPlace(contentType: string | undefined): BodyPlace | null {
  const type = contentType?.split(';')[0].trim().toLowerCase();
  if (type === undefined || type === '') return 'json';
  return KINDS.find(([, pattern]) => pattern.test(type))?.[0] ?? null;
}

/** Digits, letters and a few signs, whoever asks for the run; a callback's are the deployment's own. */
const HARMLESS = new Set(['run_id', 'task_id', 'scheduled_time', 'attempt', 'callback_url', 'callback_token']);

/**
 * What is wrong with a body template for that content type, or null. Where we do not know what ends a value (CSV, YAML,
 * multipart), nobody's free text is put.
 */
export function checkBodyTemplate(text: string, contentType: string | undefined): string | null {
  if (knownPlace(contentType) !== null) return null;
  const free = compileTemplate(text).slots.find(({ path }) => !HARMLESS.has(path[0]));
  if (!free) return null;
  return (
    `{{${free.path.join('.')}}} cannot be kept in its place in a body of type ${contentType}: ` +
    'use JSON, a form, XML, HTML or text/plain'
  );
}
