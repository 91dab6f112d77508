import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the bench: started, asked, and stopped by its own pid. */
export class Child {
  private constructor(private readonly process: ChildProcess) {}

  static start(module: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Child {
    const file = fileURLToPath(new URL(module, import.meta.url));
    return new Child(
      fork(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    );
  }

  async next<Message>(): Promise<Message> {
    const [message] = (await once(this.process, 'message')) as [Message];
    return message;
  }

  ask<Answer>(message: object): Promise<Answer> {
    const answer = this.next<Answer>();
    this.process.send(message);
    return answer;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await gone;
  }
}

/** The target, and what it saw. */
export class Target {
  private constructor(
    private readonly child: Child,
    readonly url: string,
  ) {}

  static async start(): Promise<Target> {
    const child = Child.start('./processes/echo-target.js');
    const { port } = await child.next<{ port: number }>();
    return new Target(child, `http://127.0.0.1:${port}/echo`);
  }

  reset(): Promise<unknown> {
    return this.child.ask({ reset: true });
  }

  /** Resolves when it has been called that often since the last reset. */
  called(times: number): Promise<{ calls: number; lateness: number[]; at: number }> {
    return this.child.ask({ await: times });
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
