import { DEFAULT_TENANT, EVERY_TENANT, isTenantName, type Role, ROLES, TENANT_RULE } from '#domain';

export interface KeyWish {
  kind: 'create';
  name: string;
  role: Role;
  tenantId: string;
  /** Milliseconds from now; null: it does not expire. */
  lifeMs: number | null;
}

export type Wish = KeyWish | { kind: 'help' } | { kind: 'wrong'; reason: string };

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_LIFE_DAYS = 36_500;
const OPTIONS = ['--name', '--role', '--tenant', '--expires'];

/** `--name x` and `--name=x` alike. */
export function readArguments(given: readonly string[]): Wish {
  if (given.some((argument) => ['--help', '-h', 'help'].includes(argument))) return { kind: 'help' };
  const words = given.flatMap((argument) => /^(--\w+)=(.*)$/s.exec(argument)?.slice(1) ?? [argument]);
  const said = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const option = words[at];
    if (option === '--root') said.set(option, '');
    else if (!OPTIONS.includes(option)) return wrong(`unknown argument ${option}`);
    else if (words[at + 1] === undefined) return wrong(`${option} needs a value`);
    else said.set(option, words[++at]);
  }
  return wishOf(said);
}

function wishOf(said: ReadonlyMap<string, string>): Wish {
  const isRoot = said.has('--root');
  const role = (said.get('--role') ?? 'ADMIN').toUpperCase() as Role;
  if (!ROLES.includes(role)) return wrong(`--role must be one of ${ROLES.join(', ')}`);
  const tenantId = isRoot ? EVERY_TENANT : (said.get('--tenant') ?? DEFAULT_TENANT);
  if (isRoot && said.has('--tenant'))
    return wrong('--root is for the whole deployment, --tenant for one: give one of them');
  if (!isRoot && !isTenantName(tenantId)) return wrong(`--tenant ${TENANT_RULE}`);
  const name = (said.get('--name') ?? (isRoot ? 'root' : role.toLowerCase())).trim();
  if (name === '' || name.length > 128) return wrong('--name must have 1–128 characters');
  const lifeMs = said.has('--expires') ? lifeOf(said.get('--expires') as string) : null;
  if (lifeMs === undefined) return wrong('--expires must be a time from now such as 90d, 12h or 30m');
  return { kind: 'create', name, role, tenantId, lifeMs };
}

function lifeOf(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,7})([mhd])$/.exec(text) ?? [];
  const life = count === undefined ? NaN : Number(count) * UNITS[unit];
  return life <= LONGEST_LIFE_DAYS * UNITS.d ? life : undefined;
}

const wrong = (reason: string): Wish => ({ kind: 'wrong', reason });
