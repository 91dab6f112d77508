import { type CompiledTemplate, type TemplateSlot, beforeQuery } from './compile.js';
import { type TemplateValues, valueAt } from './variables.js';

/** Where the rendered text goes, which decides how a value is kept from leaving its place. */
export type TemplatePlace = 'json' | 'text' | 'xml' | 'url' | 'header' | 'form';

/** Never throws and never looks at a value for further variables. What is missing or null is empty (bare JSON: `null`). */
export function renderTemplate(template: CompiledTemplate, values: TemplateValues, place: TemplatePlace): string {
  const { texts, slots } = template;
  let out = texts[0];
  for (let i = 0; i < slots.length; i++) {
    out += renderSlot(slots[i], valueAt(values, slots[i].path), place) + texts[i + 1];
  }
  return place === 'url' && template.pathSegments.length > 0 ? defuseDots(out, template.pathSegments) : out;
}

function renderSlot(slot: TemplateSlot, value: unknown, place: TemplatePlace): string {
  switch (place) {
    case 'json':
      return slot.inString ? insideJsonString(slot, value) : (JSON.stringify(value) ?? 'null');
    case 'url':
    case 'form':
      return encodeURIComponent(wellFormed(asText(value)));
    case 'header':
      return headerSafe(asText(value));
    case 'xml':
      return xmlSafe(asText(value));
    case 'text':
      return asText(value);
  }
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return JSON.stringify(value) ?? '';
}

/** A lone backslash before the variable is made a backslash of its own: `"C:\{{task_name}}"` stays one string. */
function insideJsonString(slot: TemplateSlot, value: unknown): string {
  const escaped = JSON.stringify(asText(value)).slice(1, -1);
  return slot.escaped ? `\\${escaped}` : escaped;
}

/** Control characters go, everything beyond ASCII is percent-encoded: HTTP headers have no other safe spelling for it. */
function headerSafe(text: string): string {
  // eslint-disable-next-line no-control-regex
  const visible = wellFormed(text).replace(/[\u0000-\u001f\u007f]+/g, '');
  return visible.replace(/[^\u0020-\u007e]+/g, encodeURIComponent);
}

/**
 * Spaces and punctuation as numbers, too: then a value ends neither a quoted nor a bare attribute, nor a name. What XML cannot
 * say even as a number is left out.
 */
function xmlSafe(text: string): string {
  // eslint-disable-next-line no-control-regex
  const sayable = wellFormed(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  return sayable.replace(/[^\w.:\u00a0-\u{10ffff}-]/gu, (char) => `&#${char.codePointAt(0)};`);
}

/** encodeURIComponent throws on half a surrogate pair. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

const DOTS_ONLY = /^(\.|%2e){1,2}$/i;

/**
 * A path segment of one or two dots is a step upwards, also when its dots are percent-encoded; encoding the percent sign
 * as well is the one spelling that stays a segment.
 */
function defuseDots(url: string, segments: readonly number[]): string {
  const path = beforeQuery(url);
  const parts = path.split('/');
  for (const index of segments) {
    if (DOTS_ONLY.test(parts[index])) parts[index] = parts[index].replace(/\.|%2e/gi, '%252E');
  }
  return parts.join('/') + url.slice(path.length);
}
