import { compileTemplate } from './compile.js';
import { TemplateError } from './variables.js';

const AUTHORITY = /^https?:\/\/[^/?#\\]+[/?#]/i;
// eslint-disable-next-line no-control-regex
const UNSAFE_TEXT = /[\s\\\u0000-\u001f\u007f]/;

/**
 * A variable may stand in the path, the query or the fragment, never in scheme, host or port: whoever supplies a payload
 * must not choose who is called. White space and backslashes are refused because URL parsers drop or turn them.
 */
export function checkUrlTemplate(text: string): void {
  const { texts, slots } = compileTemplate(text);
  if (slots.length > 0 && !AUTHORITY.test(texts[0])) {
    const name = slots[0].path.join('.');
    throw new TemplateError(
      name,
      `{{${name}}} stands in the scheme, host or port of the URL; only path and query may vary`,
    );
  }
  if (texts.some((part) => UNSAFE_TEXT.test(part))) {
    throw new Error('the URL contains white space, a backslash or a control character');
  }
}
