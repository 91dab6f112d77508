import { IdempotencyKeyReused } from '#domain';
import type { Database, Session } from '../client.js';
import type { IdempotencyKey } from '../generated/postgresql/client.js';
import { inTransaction } from '../transaction.js';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** The text that was sent, so that the same answer is the same to the byte. */
  body: string;
}

export interface IdempotentRequest {
  tenantId: string;
  key: string;
  /** Of method, path and body: the same key for anything else is refused. */
  requestHash: string;
  now: Date;
}

const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Does the work once per key and keeps its answer in the same transaction. A second request with the key waits on the
 * unique index until the first has committed and gets its answer, or does the work itself if the first came to nothing.
 */
export function withIdempotency(
  database: Database,
  request: IdempotentRequest,
  work: (session: Session) => Promise<Answer>,
): Promise<Answer & { replayed: boolean }> {
  return inTransaction(database, async (session) => {
    const kept = await takeKey(session, request);
    if (kept !== null) return { ...kept, replayed: true };
    const answer = await work(session);
    await session.idempotencyKey.update({
      where: { tenantId_key: { tenantId: request.tenantId, key: request.key } },
      data: { status: answer.status, response: { headers: answer.headers, body: answer.body } },
    });
    return { ...answer, replayed: false };
  });
}

/** Whether this very request has been answered already, and its answer is kept. */
export async function isAnswered(database: Database, request: IdempotentRequest): Promise<boolean> {
  const { tenantId, key, requestHash, now } = request;
  const row = await database.client.idempotencyKey.findUnique({ where: { tenantId_key: { tenantId, key } } });
  return row !== null && row.requestHash === requestHash && row.expiresAt > now;
}

/** The answer that was given before, or null: the key is ours. */
async function takeKey(session: Session, request: IdempotentRequest): Promise<Answer | null> {
  const { tenantId, key, requestHash, now } = request;
  const expiresAt = new Date(now.getTime() + KEPT_MS);
  const fresh = { requestHash, expiresAt, status: 0, response: {} };
  const inserted = await session.idempotencyKey.createMany({
    data: [{ tenantId, key, ...fresh }],
    skipDuplicates: true,
  });
  if (inserted.count === 1) return null;
  const renewed = await session.idempotencyKey.updateMany({
    where: { tenantId, key, expiresAt: { lte: now } },
    data: fresh,
  });
  if (renewed.count === 1) return null;
  const row = await session.idempotencyKey.findUnique({ where: { tenantId_key: { tenantId, key } } });
  // Its time was over, and it was deleted between the two statements.
  return row === null ? takeKey(session, request) : answerOf(row, key, requestHash);
}

function answerOf(row: IdempotencyKey, key: string, requestHash: string): Answer {
  if (row.requestHash !== requestHash) throw new IdempotencyKeyReused(key);
  const { headers, body } = row.response as unknown as Pick<Answer, 'headers' | 'body'>;
  return { status: row.status, headers, body };
}
