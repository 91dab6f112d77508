import path from 'node:path';
import { authModeOf, type Config, type Environment } from '#config';
import { allowDemoTarget, baseUrl } from './addresses.js';
import { Child } from './child.js';
import { LocalDatabase } from './database.js';
import { type DataLock, lockData } from './data-lock.js';
import { reservePort } from './port.js';
import { waitUntilReady } from './readiness.js';
import { localSecretKeys } from './secret-key.js';
import { StartupError } from './startup-error.js';
import { welcome } from './welcome.js';

const dist = path.resolve(import.meta.dirname, '../../..');

/** Everything `npm start` runs, from the first check to the last process. */
export class Launcher {
  private lock?: DataLock;
  private database?: Promise<LocalDatabase>;
  private children: Child[] = [];
  private isReady = false;
  private readonly stopping = new AbortController();
  private ended?: Promise<void>;

  constructor(
    private readonly config: Config,
    private readonly env: Environment,
    private readonly say: (line: string) => void,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /** Returns when everything answers, or when stop() was called on the way. */
  async start(): Promise<void> {
    const { host, databaseUrl, shutdownGraceMs } = this.config;
    if (databaseUrl === null) this.lock = lockData(path.resolve(this.config.dataDir), baseUrl(host, this.config.port));
    const patienceMs = this.lock?.tookOver ? shutdownGraceMs + 5_000 : 0;
    const port = await reservePort(host, this.config.port, patienceMs);
    const database = databaseUrl === null ? await this.startDatabase() : undefined;
    if (this.stopping.signal.aborted) return;
    this.startChildren(port, databaseUrl ?? database!.url);
    this.isReady = await waitUntilReady(baseUrl(host, port), this.say, this.stopping.signal);
    if (this.isReady) this.greet(port, database);
  }

  /** Children first, within their grace time, then the database they write to. */
  stop(): Promise<void> {
    return (this.ended ??= this.wind());
  }

  /** No more waiting. PostgreSQL gets its signal as this process exits, and needs no grace to be safe. */
  killNow(): void {
    for (const child of this.children) child.kill();
    this.lock?.release();
  }

  private async wind(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.children.map((child) => child.stop(this.config.shutdownGraceMs + 5_000)));
    await this.database?.then(
      (database) => database.stop(),
      () => undefined,
    );
    this.lock?.release();
  }

  private async startDatabase(): Promise<LocalDatabase> {
    this.say('starting PostgreSQL');
    this.database = LocalDatabase.start(path.resolve(this.config.dataDir), this.say);
    const database = await this.database;
    if (database.wasAdopted) this.say('took over the PostgreSQL that a killed start had left behind');
    return database;
  }

  private startChildren(port: number, databaseUrl: string): void {
    this.say('starting the API and a worker');
    const { host } = this.config;
    const env = {
      DEMO_TARGET: 'enabled',
      ...(process.stderr.isTTY && !this.env.NO_COLOR ? { FORCE_COLOR: '1' } : {}),
      ...this.env,
      ...this.secretKeys(),
      HOST: host,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      OUTBOUND_ALLOW: allowDemoTarget(this.config, host, port),
    };
    this.children = ['api', 'worker'].map((app) => this.child(app, env));
    for (const child of this.children) child.start();
  }

  /** One machine keeps its key in its folder; several have to be given the same. */
  private secretKeys(): { SECRET_KEYS?: string } {
    const { secretKeys, dataDir } = this.config;
    return secretKeys.length === 0 ? { SECRET_KEYS: localSecretKeys(path.resolve(dataDir)) } : {};
  }

  private child(app: string, env: NodeJS.ProcessEnv): Child {
    return new Child({
      name: app === 'api' ? 'API' : app,
      entry: path.join(dist, 'apps', app, 'src', 'main.js'),
      env,
      say: this.say,
      wasEverReady: () => this.isReady,
      onGiveUp: (name, lastWords) =>
        this.onFailure(
          new StartupError(`the ${name} does not start. ${lastWords ? `It said:\n${lastWords}` : 'See above.'}`),
        ),
    });
  }

  private greet(port: number, database: LocalDatabase | undefined): void {
    const runsOn = database ? `embedded PostgreSQL in ${database.place}` : 'the database of DATABASE_URL';
    const suffix = Math.floor(Date.now() / 1000).toString(36);
    const asksForKeys = authModeOf(this.config) === 'keys';
    process.stdout.write(welcome({ baseUrl: baseUrl(this.config.host, port), runsOn, suffix, asksForKeys }));
  }
}
