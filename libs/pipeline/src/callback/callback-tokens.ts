import { setTimeout as pause } from 'node:timers/promises';
import { armCallbacks, type ArmedAttempt, type ClaimedRun, type Database, type TaskDefinition } from '#database';
import { firstDeadlines } from '#domain';
import type { Logger } from 'pino';
import type { CallbackAddress } from './callback-address.js';
import { hashOf, newToken } from './token.js';

const TRY_AGAIN_MS = 500;

/** What an ASYNC target is given to answer with. */
export interface Callback {
  url: string;
  token: string;
}

interface Waiting {
  attempt: ArmedAttempt;
  armed: (isOurs: boolean) => void;
}

/**
 * Gives each attempt of an ASYNC run its token, and commits the token's hash before anybody calls: what a target may answer
 * with is known by then. Runs that are started together share a statement.
 */
export class CallbackTokens {
  private waiting: Waiting[] = [];

  constructor(
    private readonly database: Database,
    private readonly address: Pick<CallbackAddress, 'base'>,
    private readonly log: Logger,
  ) {}

  /** Null when the run is no longer ours: nothing may be called then. */
  async issue(run: ClaimedRun, task: TaskDefinition, startedAt: number): Promise<Callback | null> {
    const token = newToken();
    const { id: runId, execId, attempt, tenantId } = run;
    const deadlines = firstDeadlines(task, startedAt);
    const armed = { runId, execId, attempt, tenantId, startedAt, tokenHash: hashOf(token), ...deadlines };
    const [isOurs, base] = await Promise.all([this.arm(armed), this.address.base()]);
    return isOurs ? { token, url: `${base}/api/v1/callbacks/${runId}` } : null;
  }

  private arm(attempt: ArmedAttempt): Promise<boolean> {
    return new Promise((armed) => {
      // All runs of a claim are started before the next turn of the event loop.
      if (this.waiting.push({ attempt, armed }) === 1) setImmediate(() => void this.flush(this.waiting.splice(0)));
    });
  }

  private async flush(group: readonly Waiting[]): Promise<void> {
    const armed = await this.commit(group.map(({ attempt }) => attempt));
    for (const one of group) one.armed(armed.has(one.attempt.runId));
  }

  /** What is claimed is to be carried out, so this is tried until it works; if that takes too long, the run is not ours any more. */
  private async commit(attempts: readonly ArmedAttempt[]): Promise<ReadonlySet<string>> {
    for (;;) {
      try {
        return await armCallbacks(this.database, attempts);
      } catch (error) {
        this.log.warn({ err: error, runs: attempts.length }, 'callback tokens cannot be written yet, trying again');
        await pause(TRY_AGAIN_MS);
      }
    }
  }
}
