import type { Database } from '../client.js';
import { KEEP_PUBLIC_URL, READ_PUBLIC_URL } from '../sql/public-url.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';

/**
 * The API that starts last is right: it is the one whose settings were looked at last. One that was given no address says where it listens,
 * which is worth something only as long as nobody has given one.
 */
export async function keepPublicUrl(database: Database, publicUrl: string, isGiven: boolean): Promise<void> {
  await retried(() => Sql.on(database).run(KEEP_PUBLIC_URL, publicUrl, isGiven));
}

/** Null: no API has ever said where it is. */
export async function readPublicUrl(database: Database): Promise<string | null> {
  const [row] = await Sql.on(database).rows<{ public_url: string }>(READ_PUBLIC_URL);
  return row?.public_url ?? null;
}
