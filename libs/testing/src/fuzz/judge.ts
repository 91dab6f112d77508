import type { Answered } from './send.js';

/** Words that only the inside knows. */
const INSIDE =
  /node_modules|\bat [\w.<>]+ \(|\.[jt]s:\d+|prisma|\bSELECT\b.*\bFROM\b|\bSQLSTATE\b|syntax error at|ECONN|fastify|FST_ERR/i;

interface Asked {
  method: string;
  path: string;
}

/** What is wrong with an answer, whatever was asked; null: nothing. */
export function complaintAbout({ method, path }: Asked, { status, type, text }: Answered): string | null {
  if (status === -1) return null;
  if (status === 0) return `no answer: ${text}`;
  // That it is not ready, on a machine that is too busy to say so in time, is what it is asked.
  if (path.startsWith('/readyz') && status === 503) return null;
  if (status >= 500) return `answered ${status}`;
  if (status < 400 || method === 'HEAD') return null;
  if (!type.startsWith('application/problem+json')) return `answered ${status} as "${type}" instead of a problem`;
  const problem = parsed(text);
  if (problem?.status !== status || typeof problem.detail !== 'string' || typeof problem.trace_id !== 'string') {
    return `answered ${status} with a problem that is none`;
  }
  const { errors: _errors, ...own } = problem;
  const leak = INSIDE.exec(JSON.stringify(own));
  return leak === null ? null : `shows its inside: ${leak[0]}`;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
