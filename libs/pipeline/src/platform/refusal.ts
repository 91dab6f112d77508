import type { ServerConfig } from '#config';

/** A server that will not have us, and will not change its mind by our waiting. The message says what to set. */
export class ServerRefused extends Error {}

type Settings = { url: string; ca: string };
type Advice = readonly [RegExp, (server: Settings) => string];

const RIGHTS = 'see docs/outbound.md, "The database and the queue"';

/** The first that fits. Of TLS first: drivers say it in codes that otherwise mean "away". */
const ADVICE: readonly Advice[] = [
  [
    /insecure transport|no encryption|SSL is required/i,
    ({ ca }) =>
      `it takes encrypted connections only: set ${ca} to the file of the authority that signed its certificate`,
  ],
  [
    /does not support SSL|ssl not enabled in the server/i,
    ({ ca }) => `${ca} is set, but the server does not speak TLS: switch it on there, or leave ${ca}`,
  ],
  [
    /wrong version number|packet length too long/i,
    ({ url }) => `the server does not speak TLS at that port: see ${url}`,
  ],
  [
    /certificate/i,
    ({ ca, url }) =>
      `its certificate is not accepted: set ${ca} to the file of the authority that signed it, and in ${url} a host that it is for`,
  ],
  [
    /NOPERM|permission denied|command denied/i,
    ({ url }) => `the user of ${url} lacks a right that is needed: ${RIGHTS}`,
  ],
  [
    /password authentication failed|access denied|no pg_hba.conf entry|role ".*" does not exist|WRONGPASS|NOAUTH|unknown database/i,
    ({ url, ca }) => `check user, password and database in ${url}; an account that requires TLS needs ${ca} as well`,
  ],
];

/** What to do about an error at start that waiting will not cure; null for any other. */
export function refusalOf(what: 'database' | 'queue', error: unknown, config: ServerConfig): ServerRefused | null {
  const { message } = error as Error;
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(message)) ?? [];
  if (!advice) return null;
  return new ServerRefused(`the ${what} refuses us (${message.trim()}): ${advice(settingsOf(what, config))}`);
}

function settingsOf(what: 'database' | 'queue', { redisUrl }: ServerConfig): Settings {
  return what === 'queue' && redisUrl !== null
    ? { url: 'REDIS_URL', ca: 'REDIS_CA_FILE' }
    : { url: 'DATABASE_URL', ca: 'DATABASE_CA_FILE' };
}
