const MAX_URL = 2048;
const MAX_HOST = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
// eslint-disable-next-line no-control-regex
const SPACES = /[\s\u0000-\u001f\u007f]/;

/** What is wrong with a URL that a task or notice wants to call, or null. Where it leads is judged when it is dialled. */
export function checkTargetUrl(url: string): string | null {
  if (url.length > MAX_URL) return `the URL is longer than ${MAX_URL} characters`;
  if (SPACES.test(url)) return 'the URL contains white space or a control character';
  if (!/^https?:\/\//i.test(url)) return 'the URL must start with http:// or https://';
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) return 'the URL is not valid';
  return authorityProblem(parsed);
}

function authorityProblem({ username, password, hostname, port }: URL): string | null {
  if (username !== '' || password !== '') return 'the URL must not contain a user name or password';
  if (port === '0') return 'the URL has no valid port';
  return isHost(hostname) ? null : 'the URL has no valid host';
}

/** Judges the host as the URL parser has normalised it: lower case, punycode, IPv4 in dotted form. */
function isHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return true;
  const name = hostname.replace(/\.$/, '');
  return name.length <= MAX_HOST && name.split('.').every((label) => LABEL.test(label));
}
