import { type ChildProcess, spawn } from 'node:child_process';
import { afterExit, NO_HISTORY } from './restart-policy.js';

export interface ChildOptions {
  name: string;
  entry: string;
  env: NodeJS.ProcessEnv;
  say: (line: string) => void;
  wasEverReady: () => boolean;
  /** It dies again and again before anything is ready; its last words to stderr. */
  onGiveUp: (name: string, lastWords: string) => void;
}

const KEPT_LINES = 10;
const followParent = new URL('./follow-parent.js', import.meta.url).href;

/** As the image has it: a name server that does not answer holds a thread for half a minute. */
const MORE_THREADS = { UV_THREADPOOL_SIZE: '64' };

/** One of our server processes, kept alive until it is told to stop. */
export class Child {
  private process?: ChildProcess;
  private exited = Promise.resolve();
  private restart?: NodeJS.Timeout;
  private history = NO_HISTORY;
  private lastWords = '';
  private isStopping = false;

  constructor(private readonly options: ChildOptions) {}

  start(): void {
    const { entry, env } = this.options;
    const since = performance.now();
    this.lastWords = '';
    // stdout is handed on as it is, so that logs know whether they go to a terminal. The ipc channel carries nothing:
    // its end tells the child that we are gone, even if we were killed, see follow-parent.ts.
    const child = spawn(process.execPath, ['--enable-source-maps', '--import', followParent, entry], {
      env: { ...MORE_THREADS, ...env },
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    this.process = child;
    child.stderr?.on('data', (chunk: Buffer) => this.hear(chunk));
    this.exited = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    void this.exited.then(() => this.died(child, performance.now() - since));
  }

  /** Asks it to finish, and ends it when it has not after `patienceMs`. May be asked twice. */
  async stop(patienceMs: number): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.restart);
    this.process?.kill('SIGTERM');
    const force = setTimeout(() => {
      this.options.say(`the ${this.options.name} did not stop in time and was killed`);
      this.kill();
    }, patienceMs);
    await this.exited;
    clearTimeout(force);
  }

  kill(): void {
    this.process?.kill('SIGKILL');
  }

  private hear(chunk: Buffer): void {
    process.stderr.write(chunk);
    this.lastWords = (this.lastWords + chunk.toString())
      .split('\n')
      .slice(-KEPT_LINES - 1)
      .join('\n');
  }

  private died({ exitCode, signalCode }: ChildProcess, aliveMs: number): void {
    this.process = undefined;
    if (this.isStopping) return;
    const { name, say, wasEverReady, onGiveUp } = this.options;
    const verdict = afterExit(this.history, aliveMs, wasEverReady());
    if (verdict.kind === 'give-up') return onGiveUp(name, this.lastWords.trim());
    this.history = verdict.history;
    say(`the ${name} ended (${signalCode ?? `code ${exitCode}`}), starting it again in ${verdict.delayMs / 1000} s`);
    this.restart = setTimeout(() => this.start(), verdict.delayMs);
  }
}
