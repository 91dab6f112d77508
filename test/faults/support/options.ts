import { randomInt } from 'node:crypto';
import { STACKS, type StackName } from '#testing';

export interface Options {
  help: boolean;
  list: boolean;
  /** Only what is part of `npm test`. */
  core: boolean;
  rows: readonly number[] | undefined;
  stacks: readonly StackName[] | undefined;
  seed: number;
  /** How much may go on at once. */
  jobs: number;
  /** Where a JSON report is written to. */
  report: string | undefined;
}

export const HELP = `npm run test:faults [-- options]   breaks the product in 25 ways and checks from outside that it holds

  --list               what there is, and on which stacks
  --only 7,16          these rows
  --stack embedded     on this stack alone: ${STACKS.join(', ')}; several with commas
  --core               the part that npm test runs
  --seed 42            the same chance as in a run before; each run prints its seed
  --jobs 5             how much goes on at once
  --report file.json   what came out, for programs
  --help               this

A scenario that fails leaves the logs of its processes behind and says where. See docs/guarantees.md.`;

export function readOptions(args: readonly string[]): Options {
  const given = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const [flag, inline] = args[i].split(/=(.*)/s);
    if (SWITCHES.has(flag)) given.set(flag, 'yes');
    else if (VALUES.has(flag)) given.set(flag, inline ?? args[++i] ?? '');
    else throw new Error(`${args[i]} is not known\n\n${HELP}`);
  }
  return {
    help: given.has('--help') || given.has('-h'),
    list: given.has('--list'),
    core: given.has('--core'),
    rows: given
      .get('--only')
      ?.split(',')
      .map((text) => numberOf('--only', text)),
    stacks: given.get('--stack')?.split(',').map(stackOf),
    seed: given.has('--seed') ? numberOf('--seed', given.get('--seed')!) : randomInt(1, 1_000_000),
    jobs: given.has('--jobs') ? numberOf('--jobs', given.get('--jobs')!) : 5,
    report: given.get('--report'),
  };
}

const SWITCHES = new Set(['--help', '-h', '--list', '--core']);
const VALUES = new Set(['--only', '--stack', '--seed', '--jobs', '--report']);

function numberOf(flag: string, text: string): number {
  if (!/^\d+$/.test(text.trim())) throw new Error(`${flag}: "${text}" is not a whole number`);
  return Number(text);
}

function stackOf(text: string): StackName {
  const known = STACKS.find((name) => name === text.trim());
  if (!known) throw new Error(`--stack: "${text}" is none of ${STACKS.join(', ')}`);
  return known;
}
