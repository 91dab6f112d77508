import { Unread } from './driver.js';

/** What a failed statement means to us, whichever driver said it. */
export type DatabaseFault = 'retry' | 'away' | 'duplicate' | 'data' | 'other';

/** Deadlock, serialisation failure, lock wait over: the transaction changed nothing and may be run again. */
const RETRY = new Set(['40001', '40P01', '55P03', '1213', '1205', '1020']);
/** The server is not there, is going, or has no room for us: nothing is wrong with the statement. */
const AWAY = new Set([
  ...['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08004', '08006', '3D000'],
  ...['1040', '1053', '1077', '1927', '45004', '45009', '45010', '45012', '45013', '45028', '45044'],
  // MariaDB's driver has the server end what a connection was doing that we have given up on: by then it may be over, or another's.
  ...['1094', '1095'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'],
  // Too slow, full, or read-only for a while, as during a failover.
  ...['57014', '25006', '25P03', '53100', '53200', '1969', '3024', '1290', '1836', '1114', '1021'],
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024'],
]);
const DUPLICATE = new Set(['23505', '1062', 'P2002']);
/** SQLSTATE classes 22 and 23: a value, or a rule about values. MariaDB's own: too much at once, and JSON it cannot read. */
const DATA = /^(2[23][0-9A-Z]{3}|1153|403[89]|404[0-2])$/;

const AWAY_TEXT =
  /connection terminated|server closed the connection|can't reach database|connection timeout|timeout exceeded when trying to connect|socket has unexpectedly been closed|pool (is|was) (closed|ended)|connect(ion)? refused|query read timeout|not queryable|cannot execute new commands|DatabaseNotReachable|ConnectionClosed/i;

/** The connection was gone, or given up, after a statement was sent and before its answer came. */
const UNANSWERED = new Set([
  ...['57P01', '57P02', '08003', '08006', '1053', '1927', '45004', '45009', '45026'],
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
]);
const UNANSWERED_TEXT =
  /connection terminated|server closed the connection|socket has unexpectedly been closed|query read timeout/i;

/** Whether nobody knows if the statement was carried out. One that was refused, or never sent, was not. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Unread || codesOf(error).some((code) => UNANSWERED.has(code)) || UNANSWERED_TEXT.test(textOf(error));

/** Somebody else holds a row, and has held it for as long as we wait for one. */
const LOCK_WAIT = new Set(['55P03', '1205']);

export const isLockWait = (error: unknown): boolean => codesOf(error).some((code) => LOCK_WAIT.has(code));

export function faultOf(error: unknown): DatabaseFault {
  const codes = codesOf(error);
  if (codes.some((code) => RETRY.has(code))) return 'retry';
  if (codes.some((code) => DUPLICATE.has(code))) return 'duplicate';
  if (codes.some((code) => DATA.test(code))) return 'data';
  if (codes.some((code) => AWAY.has(code)) || AWAY_TEXT.test(textOf(error))) return 'away';
  // P2034: Prisma's own word for a write conflict. P2028: the transaction was lost with its connection.
  if (codes.includes('P2034')) return 'retry';
  if (codes.includes('P2028')) return 'away';
  return 'other';
}

/** The driver's code sits at a different depth in each error: Prisma wraps the adapter, which wraps the driver. */
function codesOf(error: unknown, depth = 0): string[] {
  if (depth > 6 || typeof error !== 'object' || error === null) return [];
  const { code, errno, sqlState, originalCode, cause, meta, driverAdapterError } = error as Record<string, unknown>;
  const own = [code, errno, sqlState, originalCode]
    .filter((value) => value !== undefined && value !== null)
    .map(String);
  const deeper = [cause, meta, driverAdapterError].flatMap((inner) => codesOf(inner, depth + 1));
  return [...own, ...deeper];
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`;
}
