import type { StackName } from '#testing';
import type { World } from './world.js';

/** One fault, on one or more stacks: brings a deployment up, hurts it, and has the invariants checked from outside. */
export interface Scenario {
  /** Of the table in docs/guarantees.md. */
  row: number;
  /** What is done to the product. */
  name: string;
  /** What must hold. */
  holds: string;
  stacks: readonly StackName[];
  /** Where it is part of `npm test`. */
  core?: readonly StackName[];
  /** About how long it takes: the longest are started first. */
  seconds: number;
  /** How much of the machine it needs while it runs; 1 unless it does more than wait. */
  weight?: number;
  run(world: World): Promise<void>;
}

export const EVERYWHERE: readonly StackName[] = ['embedded', 'postgres-redis', 'mariadb-redis', 'mysql-redis'];
export const ON_REDIS: readonly StackName[] = ['postgres-redis', 'mariadb-redis', 'mysql-redis'];

/** What came out of one scenario on one stack. */
export interface Outcome {
  scenario: Scenario;
  stack: StackName;
  seconds: number;
  findings: Findings;
  /** Why it did not even come to its end. */
  error?: Error;
}

export class Findings {
  /** Runs and due seconds that were looked at. */
  checked = 0;
  lost = 0;
  doubled = 0;
  recoverySeconds: number | undefined;
  /** Sentences about what did not hold. */
  readonly broken: string[] = [];
  /** What else is worth a line in the report. */
  readonly notes: string[] = [];

  expect(holds: boolean, otherwise: string | (() => string)): void {
    if (!holds) this.broken.push(typeof otherwise === 'string' ? otherwise : otherwise());
  }

  isWhole(): boolean {
    return this.broken.length === 0 && this.lost === 0 && this.doubled === 0;
  }
}
