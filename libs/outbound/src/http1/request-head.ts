import { errors } from 'undici';

export interface RequestLine {
  method: string;
  /** Path and query as a URL has them: nothing in it can end the line. */
  path: string;
  /** Name and port, as in the URL. */
  host: string;
  headers: Record<string, string>;
  /** Whole lines beside them, of our own. */
  more: string;
  /** Of the body, in bytes; null without one. */
  length: number | null;
  keepsAlive: boolean;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What may not stand in a value: all controls but the tab, and what is no Latin-1. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;
/** How the message is framed, and who gets it, is said here alone. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const EXPECT_A_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Whether whoever gets the request waits for a body, were it an empty one. */
export const expectsBody = (method: string): boolean => EXPECT_A_BODY.has(method);

/** The same few names are sent all day long. */
const goodNames = new Set<string>();
const MOST_NAMES = 1_000;

/** A request up to its body, to be sent as Latin-1. Throws an InvalidArgumentError that names what cannot be sent. */
export function requestHead({ method, path, host, headers, more, length, keepsAlive }: RequestLine): string {
  if (!TOKEN.test(method)) throw new errors.InvalidArgumentError('invalid request method');
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${keepsAlive ? 'keep-alive' : 'close'}\r\n`;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (!goodNames.has(name)) checkName(name);
    if (FORBIDDEN.test(value)) throw new errors.InvalidArgumentError(`invalid ${name} header`);
    text += `${name}: ${value}\r\n`;
  }
  text += more;
  if (length !== null) return `${text}content-length: ${length}\r\n\r\n`;
  return expectsBody(method) ? `${text}content-length: 0\r\n\r\n` : `${text}\r\n`;
}

function checkName(name: string): void {
  if (!TOKEN.test(name)) throw new errors.InvalidArgumentError('invalid header key');
  if (OURS.has(name.toLowerCase())) throw new errors.InvalidArgumentError(`invalid ${name} header`);
  if (goodNames.size >= MOST_NAMES) goodNames.clear();
  goodNames.add(name);
}
