import { type ChildProcess, spawn } from 'node:child_process';
import type { CommandEnd, CommandOutcome } from '#domain';
import { Tail } from './tail.js';

export interface CommandCall {
  /** Names the execution; the command and all it starts carry it in their environment. */
  execId: string;
  command: string;
  /** What the command reads; nothing: an empty input. */
  stdin?: string;
  env: Record<string, string>;
  timeoutMs: number;
  /** Handed a function that breaks the command off. */
  abortable?: (abort: () => void) => void;
}

/** How long a command may take to clean up after SIGTERM. */
const GRACE_MS = 2_000;
/** How long to wait for a process that not even SIGKILL ends, because it hangs inside the kernel. */
const GIVE_UP_MS = 5_000;
/** Somebody who left the group may hold the output open; what has come by then is what there is. */
const DRAIN_MS = 500;

/** Node's pipes are sockets, and bash takes a socket for a remote login: it would read ~/.bashrc, and the payload with it. */
const PLAIN = ['--noprofile', '--norc'];

/**
 * One command under bash, in a process group of its own. It is over when its bash is; whatever is then left in the group is
 * killed. A group is only ever signalled while its bash is there or has just ended, so that its number is nobody else's.
 */
export class Command {
  private readonly startedAt = performance.now();
  private readonly stdout = new Tail();
  private readonly stderr = new Tail();
  private readonly timers: NodeJS.Timeout[] = [];
  private child: ChildProcess | undefined;
  private stopped: 'timeout' | 'aborted' | undefined;
  private settle: (outcome: CommandOutcome) => void = () => undefined;

  constructor(private readonly call: CommandCall) {}

  run(): Promise<CommandOutcome> {
    return new Promise((resolve) => {
      this.settle = resolve;
      this.call.abortable?.(() => this.stop('aborted'));
      if (this.stopped) this.finish({ kind: this.stopped });
      else this.start();
    });
  }

  /** Asks the group to end, and makes it end a moment later. */
  stop(reason: 'timeout' | 'aborted'): void {
    if (this.stopped) return;
    this.stopped = reason;
    this.signal('SIGTERM');
    this.after(GRACE_MS, () => this.signal('SIGKILL'));
    this.after(GRACE_MS + GIVE_UP_MS, () => this.finish({ kind: reason }));
  }

  kill(): void {
    this.stopped ??= 'aborted';
    this.signal('SIGKILL');
  }

  private start(): void {
    try {
      this.watch((this.child = this.spawn()));
      this.after(this.call.timeoutMs, () => this.stop('timeout'));
    } catch (error) {
      // Some of what keeps a process from starting is thrown, some is told by the `error` event.
      this.notStarted(error as Error);
    }
  }

  private spawn(): ChildProcess {
    const { command, env } = this.call;
    // `detached` makes it the leader of a new process group, whose number is its own.
    return spawn('bash', [...PLAIN, '-c', command], { env, detached: true, stdio: 'pipe' });
  }

  private watch(child: ChildProcess): void {
    child.once('error', (error) => this.notStarted(error));
    child.once('exit', (code, signal) => this.exited(code, signal));
    // There are no pipes where this process has no more files to open; the `error` event says so.
    child.stdout?.on('data', (chunk: Buffer) => this.stdout.add(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.stderr.add(chunk));
    // A command need not read its input.
    child.stdin?.on('error', () => undefined).end(this.call.stdin);
  }

  private notStarted({ message }: Error): void {
    this.finish({ kind: 'error', message: `bash cannot be started: ${message}` });
  }

  private exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.signal('SIGKILL');
    const ended: CommandEnd = signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal };
    const end = this.stopped ? { kind: this.stopped } : ended;
    this.child?.once('close', () => this.finish(end));
    this.after(DRAIN_MS, () => this.finish(end));
  }

  private finish(end: CommandEnd): void {
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
    this.child?.stdout?.destroy();
    this.child?.stderr?.destroy();
    const totalMs = performance.now() - this.startedAt;
    this.settle({ ...end, stdout: this.stdout.value, stderr: this.stderr.value, totalMs });
  }

  private signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const group = this.child?.pid;
    if (group === undefined) return;
    try {
      process.kill(-group, signal);
    } catch {
      // Nobody is left in it.
    }
  }

  private after(ms: number, act: () => void): void {
    this.timers.push(setTimeout(act, ms));
  }
}
