import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, ensureDatabase, startEmbeddedPostgres } from '#database';
import { afterExit, NO_HISTORY } from './restart-policy.js';

const NAME = 'punctual';
const LOOK_EVERY_MS = 1_000;

/** The embedded PostgreSQL with our database in it, kept alive on one port until it is told to stop. */
export class LocalDatabase {
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;

  private constructor(
    private server: EmbeddedPostgres,
    private readonly dataDir: string,
    private readonly say: (line: string) => void,
  ) {
    this.watching = this.watch();
  }

  static async start(folder: string, say: (line: string) => void): Promise<LocalDatabase> {
    const dataDir = path.join(folder, 'postgres');
    const server = await startEmbeddedPostgres({ dataDir, say });
    try {
      await ensureDatabase(server.url(), NAME);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return new LocalDatabase(server, dataDir, say);
  }

  get url(): string {
    return this.server.url(NAME);
  }

  get place(): string {
    return path.dirname(this.server.dataDir);
  }

  get wasAdopted(): boolean {
    return this.server.adopted;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.server.stop();
  }

  private async watch(): Promise<void> {
    let history = NO_HISTORY;
    for (let since = Date.now(); await this.pause(LOOK_EVERY_MS);) {
      if (this.server.isRunning()) continue;
      const verdict = afterExit(history, Date.now() - since, true);
      if (verdict.kind === 'give-up') return;
      this.say(`PostgreSQL ended, starting it again in ${verdict.delayMs / 1000} s`);
      if (await this.pause(verdict.delayMs)) await this.revive();
      history = verdict.history;
      since = Date.now();
    }
  }

  /** On the same port: the children know no other. */
  private async revive(): Promise<void> {
    const { dataDir, say, server } = this;
    try {
      this.server = await startEmbeddedPostgres({ dataDir, port: server.port, say });
    } catch (error) {
      say((error as Error).message);
    }
  }

  /** false when it was told to stop meanwhile. */
  private async pause(ms: number): Promise<boolean> {
    await sleep(ms, undefined, { ref: false, signal: this.stopping.signal }).catch(() => undefined);
    return !this.stopping.signal.aborted;
  }
}
