import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A question to a process of the bench, and what came back under the same number. */
interface Answer {
  re?: number;
}

/** As docker-compose.yml starts workers; the others are to have it no worse. */
const ROOM = ['--max-semi-space-size=64', '--initial-old-space-size=256'];

/** A process of the bench: started, asked, and stopped by its own pid. */
export class Child {
  private asked = 0;

  private constructor(
    private readonly process: ChildProcess,
    private readonly name: string,
  ) {
    // Many questions can be open at once.
    process.setMaxListeners(0);
  }

  /** @param module relative to bench/, as compiled */
  static start(module: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Child {
    const file = fileURLToPath(new URL(`../${module}`, import.meta.url));
    const child = fork(file, args, {
      env: { ...process.env, ...env },
      execArgv: [...ROOM, ...profiling(module)],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    return new Child(child, basename(module, '.js'));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Its first message: it is ready. */
  ready<Message>(withinMs = 30_000): Promise<Message> {
    return this.hear(() => true, withinMs);
  }

  tell(message: object): void {
    this.process.send(message);
  }

  ask<Message>(message: object, withinMs = 60_000): Promise<Message> {
    const re = ++this.asked;
    const answer = this.hear<Message & Answer>((heard) => heard.re === re, withinMs);
    this.process.send({ ...message, re });
    return answer;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    const force = setTimeout(() => this.process.kill('SIGKILL'), 15_000);
    await gone;
    clearTimeout(force);
  }

  private hear<Message>(isIt: (message: Message) => boolean, withinMs: number): Promise<Message> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(timer);
        this.process.off('message', onMessage).off('exit', onExit);
        act();
      };
      const onMessage = (message: Message) => isIt(message) && end(() => resolve(message));
      const onExit = (code: number | null) => end(() => reject(new Error(`${this.name} has ended (${code})`)));
      const late = () => end(() => reject(new Error(`${this.name} did not answer within ${withinMs} ms`)));
      const timer = setTimeout(late, withinMs);
      this.process.on('message', onMessage).on('exit', onExit);
    });
  }
}

/** BENCH_PROFILE=folder leaves a CPU profile of every process there. */
function profiling(module: string): string[] {
  const folder = process.env.BENCH_PROFILE;
  if (!folder) return [];
  const name = `${module.replace(/[^a-z-]+/g, '_')}.${Date.now()}.cpuprofile`;
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}`];
}
