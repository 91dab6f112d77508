import { Redis } from 'ioredis';

/** A few words with Redis itself, over a connection of its own. */
export async function askRedis<Answer>(url: string, work: (client: Redis) => Promise<Answer>): Promise<Answer> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}
