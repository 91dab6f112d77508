import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './settings.js';

export type { Logger } from 'pino';

const SECRETS = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  'token',
  'callback_token',
  'sk',
  'sealed',
  'secretKeys',
  'alertSk',
  'password',
  'secret',
  'api_key',
  '["x-api-key"]',
  'databaseUrl',
  'redisUrl',
  'outboundProxy',
];
/** A path names one depth only, so each secret is listed for the depths our records have. */
const DEPTHS = ['', '*.', '*.*.', '*.*.*.'];

/** One logger per process; lines for people go out at once, so that they stand in order beside other output. */
export function createLogger(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  name: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger {
  const options: LoggerOptions = {
    name,
    level: config.logLevel,
    redact: { paths: secretPaths(), censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
  };
  return wantsPretty(config.logFormat)
    ? pino(options, prettyStream(destination))
    : pino({ ...options, ...JSON_SHAPE }, destination);
}

const JSON_SHAPE: LoggerOptions = {
  base: { pid: process.pid },
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
};

function wantsPretty(format: Config['logFormat']): boolean {
  if (format !== 'auto') return format === 'pretty';
  return process.stdout.isTTY && process.env.NODE_ENV !== 'production';
}

function prettyStream(destination: DestinationStream) {
  return pretty({
    destination: destination as NodeJS.WritableStream,
    sync: true,
    colorize: process.stdout.isTTY,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss.l',
  });
}

function secretPaths(): string[] {
  return DEPTHS.flatMap((depth) => SECRETS.map((key) => `${depth}${key}`.replace('.[', '[')));
}
