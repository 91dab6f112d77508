import { errors } from 'undici';

/** The code is one of those that Node.js' own parser has, for those who search for it. */
export const invalidResponse = (what: string, code: string): Error =>
  Object.assign(new errors.HTTPParserError(what), { code: `HPE_${code}` });
