import { variablePath } from './variables.js';

export interface TemplateSlot {
  readonly path: readonly string[];
  /** Stands inside a JSON string literal, if the text is JSON. */
  readonly inString: boolean;
  /** Follows a lone backslash inside a JSON string, which would otherwise swallow the value's first character. */
  readonly escaped: boolean;
}

/** `texts[0] slot[0] texts[1] slot[1] … texts[n]`: there is always one text more than there are slots. */
export interface CompiledTemplate {
  readonly texts: readonly string[];
  readonly slots: readonly TemplateSlot[];
  /** The segments of a URL's path that have a variable in them, counted between slashes from the start of the text. */
  readonly pathSegments: readonly number[];
}

const VARIABLE = /\{\{([^{}]*)\}\}/g;

/**
 * Literal substitution, no logic: `{{name}}`, spaces around the name allowed. Whatever does not look like that, such as a
 * `{{` that is never closed, is plain text. An unknown name is a TemplateError.
 */
export function compileTemplate(text: string): CompiledTemplate {
  const texts: string[] = [];
  const slots: TemplateSlot[] = [];
  let json = OUTSIDE;
  let end = 0;
  for (const match of text.matchAll(VARIABLE)) {
    const before = text.slice(end, match.index);
    json = scanJson(before, json);
    texts.push(before);
    slots.push({ path: variablePath(match[1].trim()), ...json });
    json = { ...json, escaped: false };
    end = match.index + match[0].length;
  }
  texts.push(text.slice(end));
  return { texts, slots, pathSegments: pathSegments(texts) };
}

export function checkTemplate(text: string): void {
  compileTemplate(text);
}

interface JsonState {
  inString: boolean;
  escaped: boolean;
}

const OUTSIDE: JsonState = { inString: false, escaped: false };

function scanJson(text: string, from: JsonState): JsonState {
  let { inString, escaped } = from;
  for (const char of text) {
    if (escaped) escaped = false;
    else if (inString && char === '\\') escaped = true;
    else if (char === '"') inString = !inString;
  }
  return { inString, escaped };
}

function pathSegments(texts: readonly string[]): number[] {
  const found = new Set<number>();
  let segment = 0;
  for (const text of texts.slice(0, -1)) {
    const path = beforeQuery(text);
    segment += path.split('/').length - 1;
    if (path.length < text.length) break;
    found.add(segment);
  }
  return [...found];
}

/** The part of a URL before its query and fragment. */
export function beforeQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}
