import type { Platform } from '#pipeline';

/** One part the product needs; `check` throws when it is not there. */
export interface ReadinessCheck {
  name: string;
  check: () => Promise<unknown>;
}

export interface Readiness {
  ready: boolean;
  status: 'ready' | 'not ready';
  checks: Record<string, { ok: boolean; error?: string }>;
}

/** Short enough that the answer is there within two seconds when every part is away. */
const CHECK_MS = 1_500;

export function platformChecks({ database, queue }: Platform): ReadinessCheck[] {
  return [
    { name: 'database', check: () => database.client.$queryRawUnsafe('SELECT 1') },
    { name: 'queue', check: () => queue.check() },
  ];
}

export async function readinessOf(checks: readonly ReadinessCheck[]): Promise<Readiness> {
  const outcomes = await Promise.all(checks.map(async (check) => [check.name, await outcomeOf(check)] as const));
  const ready = outcomes.every(([, { ok }]) => ok);
  return { ready, status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(outcomes) };
}

async function outcomeOf({ check }: ReadinessCheck): Promise<{ ok: boolean; error?: string }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_MS} ms`)), CHECK_MS);
  });
  try {
    await Promise.race([check(), late]);
    return { ok: true };
  } catch (error) {
    return { ok: false, error: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Prisma puts the statement in front of what went wrong, and its own words around it. */
function reasonOf(error: unknown): string {
  const last = (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1)?.trim();
  return /Message: `(.+)`$/.exec(last ?? '')?.[1] ?? (last || 'not reachable');
}
