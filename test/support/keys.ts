import axios, { type AxiosInstance } from 'axios';
import type { Role } from '#domain';
import type { Platform } from '#pipeline';
import { makeKey } from '../../apps/keys/src/make-key.js';

/** A key as `npm run keys:create` makes it. */
export async function keyFor(platform: Platform, tenantId: string, role: Role, name = `${tenantId} ${role}`) {
  const wish = { kind: 'create' as const, name, role, tenantId, lifeMs: null };
  const { key, text } = await makeKey(platform.database, wish, platform.clock.now());
  return { id: String(key.id), text };
}

/** Answers with any status; relative to /api/v1. */
export function clientWith(url: string, key: string | null, headers: Record<string, string> = {}): AxiosInstance {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  return axios.create({
    baseURL: `${url}/api/v1`,
    validateStatus: () => true,
    headers: { ...authorization, ...headers },
  });
}
