import { ALERT_KINDS } from '#domain';
import { addresses, bytes, choice, choices, flag, integer, list, numbers, optionalChoice } from './kinds.js';
import { secret, secretKeys, text, url } from './kinds.js';

/**
 * Every setting of the product: one entry each, read once at start by `readConfig`.
 * docs/configuration.md is this table in prose; a test keeps the two the same.
 */
export const SETTINGS = {
  host: text(
    'HOST',
    '127.0.0.1',
    'Address the API listens on. Anything but a loopback address opens it to the network.',
  ),
  port: integer('PORT', 3000, 0, 65_535, 'Port the API listens on; 0 takes a free one.'),
  publicUrl: url(
    'PUBLIC_URL',
    ['http', 'https'],
    null,
    'Where ASYNC targets reach the API, for their callbacks; a path in front of `/api/v1` may be part of it. Empty: HOST and PORT, which is this machine. Workers need it too.',
  ),
  dataDir: text('DATA_DIR', '.data', 'Where `npm start` keeps the embedded PostgreSQL.'),
  databaseUrl: url(
    'DATABASE_URL',
    ['postgresql', 'postgres', 'mysql', 'mariadb'],
    null,
    'The database. `npm start` brings its own when this is empty.',
  ),
  redisUrl: url(
    'REDIS_URL',
    ['redis', 'rediss'],
    null,
    'The queue. Empty: the queue lives in the PostgreSQL of DATABASE_URL. Needed with MySQL.',
  ),
  databasePoolSize: integer('DATABASE_POOL_SIZE', 10, 2, 500, 'Connections a process keeps to the database.'),
  databaseTimeoutMs: integer(
    'DATABASE_TIMEOUT_MS',
    10_000,
    100,
    600_000,
    'Longest a statement, a lock or a free connection is waited for.',
  ),
  queuePrefix: text(
    'QUEUE_PREFIX',
    'punctual',
    'Names the queue inside Redis, so that deployments can share a server.',
  ),
  scheduler: flag('SCHEDULER', true, 'Whether this API process also turns due seconds into runs.'),
  pollIntervalMs: integer(
    'POLL_INTERVAL_MS',
    1_000,
    1_000,
    60_000,
    'How often due seconds are looked for. Above 1000 it samples: of each interval the newest due second runs, the others follow the catch-up mode.',
  ),
  tickBatchSize: integer('TICK_BATCH_SIZE', 500, 1, 5_000, 'Most tasks one tick transaction claims.'),
  dispatchSize: integer('DISPATCH_SIZE', 50, 1, 500, 'Most runs one queue job carries.'),
  workerConcurrency: integer('WORKER_CONCURRENCY', 50, 1, 10_000, 'Run slots of one worker: calls in flight at once.'),
  targetConcurrencyPerHost: integer(
    'TARGET_CONCURRENCY_PER_HOST',
    0,
    0,
    10_000,
    'Most of a worker’s slots that one target host gets. 0 shares them: a host may have as many as it leaves free.',
  ),
  targetRatePerHost: integer(
    'TARGET_RATE_PER_HOST',
    0,
    0,
    100_000,
    'Most calls per second that a worker makes to one target host; 0 is any number.',
  ),
  workerHost: text('WORKER_HOST', '127.0.0.1', 'Address of the worker’s health, readiness and metrics port.'),
  workerPort: integer(
    'WORKER_PORT',
    0,
    0,
    65_535,
    'Port of the worker’s health, readiness and metrics; 0 takes a free one.',
  ),
  leaseSeconds: integer(
    'LEASE_SECONDS',
    30,
    5,
    3_600,
    'How long a worker may be silent before its runs are taken over.',
  ),
  rescueIntervalMs: integer(
    'RESCUE_INTERVAL_MS',
    5_000,
    200,
    600_000,
    'How often lost and expired runs are looked for.',
  ),
  shutdownGraceMs: integer(
    'SHUTDOWN_GRACE_MS',
    30_000,
    0,
    600_000,
    'Longest a process takes to finish what it holds after SIGTERM.',
  ),
  bodyLimitBytes: bytes(
    'BODY_LIMIT',
    1_048_576,
    1_024,
    67_108_864,
    'Largest request body the API reads; a batch of jobs may be four times as large.',
  ),
  outboundAllow: list(
    'OUTBOUND_ALLOW',
    'Private targets that may be called: CIDRs, hosts or `*.suffix`, each with an optional `:port`.',
  ),
  outboundDeny: list('OUTBOUND_DENY', 'Targets that may never be called; wins over OUTBOUND_ALLOW.'),
  outboundConnectionsPerHost: integer(
    'OUTBOUND_CONNECTIONS_PER_HOST',
    128,
    1,
    10_000,
    'Connections a worker opens to one target host.',
  ),
  shellExecutor: flag(
    'SHELL_EXECUTOR',
    false,
    'Whether tasks may run commands: in the API, whether SHELL tasks can be created; in a worker, whether it runs them. See shell.md before.',
  ),
  shellEnv: list('SHELL_ENV', 'Variables of the worker that its commands get to see; no others.', ['PATH', 'LANG']),
  shellStateDir: text(
    'SHELL_STATE_DIR',
    '',
    'Where a worker notes which commands it runs, to kill those it left behind. Empty: `shell` below DATA_DIR.',
  ),
  notifyConcurrency: integer('NOTIFY_CONCURRENCY', 20, 1, 1_000, 'Notices a worker sends at once.'),
  notifyTimeoutSeconds: integer(
    'NOTIFY_TIMEOUT_SECONDS',
    15,
    1,
    300,
    'Longest one try of a notice may take, from the connection to the end of the answer.',
  ),
  notifyRetrySeconds: numbers(
    'NOTIFY_RETRY_SECONDS',
    [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600],
    0,
    604_800,
    'How long after each failed try of a notice the next one comes; after the last of them it is given up.',
  ),
  secretKeys: secretKeys(
    'SECRET_KEYS',
    'What secrets in the database are encrypted with: the first key writes, all of them read. `npm start` makes one for its machine.',
  ),
  alertUrl: url(
    'ALERT_URL',
    ['https', 'http'],
    null,
    'Where the deployment tells what went wrong, as a POST. Empty: nowhere.',
  ),
  alertOn: choices(
    'ALERT_ON',
    ALERT_KINDS,
    'What an alert is sent for: runs that failed for good, runs that wait for a person, ticks that were missed, runs that started too late.',
  ),
  alertLatenessSeconds: integer(
    'ALERT_LATENESS_SECONDS',
    60,
    1,
    86_400,
    'How late a scheduled run must start to be worth an alert.',
  ),
  alertSk: secret('ALERT_SK', 'The secret key alerts are signed with, as notices are. Empty: they are not signed.'),
  demoTarget: flag(
    'DEMO_TARGET',
    false,
    'Whether the API serves the demo target `/demo/echo`. `npm start` switches it on.',
  ),
  logLevel: choice(
    'LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const,
    'info',
    'Least level that is logged.',
  ),
  logFormat: choice(
    'LOG_FORMAT',
    ['auto', 'json', 'pretty'] as const,
    'auto',
    'JSON lines, or lines for people. `auto`: for people in a terminal.',
  ),
  authMode: optionalChoice(
    'AUTH_MODE',
    ['keys', 'none'] as const,
    'Whether the API asks for a key. `none` is for a loopback HOST only. Empty: `none` on a loopback HOST, `keys` on any other. See access.md.',
  ),
  metricsToken: secret(
    'METRICS_TOKEN',
    'What Prometheus shows to read `/metrics`, as a bearer token: of the API beside any key, of a worker as the only thing. Empty: keys alone, and a worker asks for nothing.',
  ),
  trustProxy: addresses(
    'TRUST_PROXY',
    'Proxies whose `X-Forwarded-For` says where a request comes from. Empty: nobody’s.',
  ),
  rateLimitPerKey: integer(
    'RATE_LIMIT_PER_KEY',
    1_000,
    0,
    1_000_000,
    'Most requests per second with one key, over all processes; 0 is any number.',
  ),
  rateLimitPerAddress: integer(
    'RATE_LIMIT_PER_ADDRESS',
    1_000,
    0,
    1_000_000,
    'Most requests per second from one address, over all processes; a key that is refused counts as ten. 0 is any number.',
  ),
  quotaTasks: integer('QUOTA_TASKS', 0, 0, 10_000_000, 'Most tasks a tenant may have; 0 is any number.'),
  quotaRunsPerMinute: integer(
    'QUOTA_RUNS_PER_MINUTE',
    0,
    0,
    10_000_000,
    'Most runs a tenant may ask for in a minute, over all processes; what a schedule fires does not count. 0 is any number.',
  ),
  quotaUnfinishedRuns: integer(
    'QUOTA_UNFINISHED_RUNS',
    0,
    0,
    10_000_000,
    'Unfinished runs of a tenant, whatever made them, from which on it may ask for no more; 0 is any number.',
  ),
};

type Settings = typeof SETTINGS;
export type Config = Readonly<{ [Name in keyof Settings]: ReturnType<Settings[Name]['parse']> }>;
