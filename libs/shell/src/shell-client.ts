import type { CommandOutcome } from '#domain';
import { Command, type CommandCall } from './command.js';
import { CommandNotes, EXEC_ID } from './command-notes.js';

export interface ShellOptions {
  /** Names of this process' variables that commands get to see. */
  env: readonly string[];
  /** Where it is noted which commands run. */
  stateDir: string;
}

/** Runs commands. Never throws: what goes wrong is part of the outcome. */
export class ShellClient {
  private readonly running = new Set<Command>();
  private readonly notes: CommandNotes;

  constructor(private readonly options: ShellOptions) {
    this.notes = new CommandNotes(options.stateDir);
  }

  /** Before the first command: kills what a worker that was killed has left behind. */
  killOrphans(): Promise<string[]> {
    return this.notes.killOrphans();
  }

  async run(call: CommandCall): Promise<CommandOutcome> {
    try {
      await this.notes.add(call.execId);
    } catch (error) {
      return notStarted(`SHELL_STATE_DIR cannot be written: ${(error as Error).message}`);
    }
    const command = new Command({ ...call, env: this.environmentOf(call) });
    this.running.add(command);
    const outcome = await command.run();
    this.running.delete(command);
    // A note too many costs a look when the next worker starts.
    await this.notes.remove(call.execId).catch(() => undefined);
    return outcome;
  }

  /** The process ends: nothing it started is left behind. */
  close(): void {
    for (const command of this.running) command.kill();
  }

  private environmentOf({ env, execId }: CommandCall): Record<string, string> {
    const seen = this.options.env.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return { ...Object.fromEntries(seen), ...env, [EXEC_ID]: execId };
  }
}

function notStarted(message: string): CommandOutcome {
  const nothing = { text: '', bytes: 0 };
  return { kind: 'error', message, stdout: nothing, stderr: nothing, totalMs: 0 };
}
