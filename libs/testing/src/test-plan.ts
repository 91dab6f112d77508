import { STACKS, type StackName } from './stack.js';

/** What scripts/test.mjs runs: which suites, and the integration suite on which stacks. */
export const SUITES = ['unit', 'integration', 'e2e', 'faults'] as const;
export type Suite = (typeof SUITES)[number];

export type ServerName = 'redis' | 'mariadb' | 'mysql';

const NEEDS: Record<StackName, ServerName[]> = {
  embedded: [],
  'postgres-redis': ['redis'],
  'mariadb-redis': ['redis', 'mariadb'],
  'mysql-redis': ['redis', 'mysql'],
};
const PROGRAMS: Record<ServerName, string> = { redis: 'redis-server', mariadb: 'mariadbd', mysql: 'mysqld' };
const REMEDIES: Record<ServerName, string> = {
  redis: 'apt-get install redis-server',
  mariadb: 'apt-get install mariadb-server',
  mysql: 'MYSQLD can say where it is; for Debian: scripts/mysql-server.sh',
};
/** What Debian's stable release has no package of is nothing to insist on. */
const isOptional = (name: StackName): boolean => name === 'mysql-redis';

/** `--only unit,e2e` is ours; everything else goes to jest. */
export function readArguments(args: readonly string[]): { suites: readonly Suite[]; forJest: string[] } {
  const forJest: string[] = [];
  let suites: readonly Suite[] = SUITES;
  for (let i = 0; i < args.length; i++) {
    const [flag, inline] = args[i].split(/=(.*)/s);
    if (flag === '--only') suites = chosen('--only', inline ?? args[++i] ?? '', SUITES);
    else if (args[i] !== '--') forJest.push(args[i]);
  }
  return { suites, forJest };
}

export interface StackPlan {
  covered: StackName[];
  /** One line for each stack that is left out, with what to install. */
  missing: string[];
  servers: ServerName[];
}

/** @param wanted PUNCTUAL_TEST_STACKS: nothing takes what is installed; `all`, or names, must be there, but for what is optional in `all` */
export function planStacks(wanted: string | undefined, found: Record<ServerName, boolean>): StackPlan {
  const asked = wanted && wanted !== 'all' ? chosen('PUNCTUAL_TEST_STACKS', wanted, STACKS) : undefined;
  const lacking = (name: StackName) => NEEDS[name].filter((server) => !found[server]);
  const stacks = asked ?? [...STACKS];
  const left = stacks.filter((name) => lacking(name).length > 0);
  const missed = left.filter((name) => asked || (wanted === 'all' && !isOptional(name)));
  const say = (names: StackName[]) => names.map((name) => sayMissing(name, lacking(name)));
  if (missed.length > 0) throw new Error(say(missed).join('\n'));
  const covered = stacks.filter((name) => lacking(name).length === 0);
  return { covered, missing: say(left), servers: [...new Set(covered.flatMap((name) => NEEDS[name]))] };
}

function sayMissing(name: StackName, servers: ServerName[]): string {
  const programs = servers.map((server) => PROGRAMS[server]).join(' and ');
  return `${name} NOT covered: ${programs} not found (${servers.map((server) => REMEDIES[server]).join('; ')})`;
}

function chosen<const Name extends string>(source: string, text: string, allowed: readonly Name[]): Name[] {
  return text.split(',').map((part) => {
    const name = allowed.find((known) => known === part.trim());
    if (name === undefined) throw new Error(`${source}: "${part.trim()}" is none of ${allowed.join(', ')}`);
    return name;
  });
}
