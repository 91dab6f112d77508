import type { Verdict } from './classify.js';

/** The end of what a command wrote: the last bytes as text, and how many there were in all. */
export interface OutputTail {
  text: string;
  bytes: number;
}

/** What came of one command. Whoever runs them never throws; everything is one of these. */
export type CommandOutcome = CommandEnd & { stdout: OutputTail; stderr: OutputTail; totalMs: number };

export type CommandEnd =
  | { kind: 'exit'; code: number }
  /** Killed, by itself or by somebody else: `SIGKILL`. */
  | { kind: 'signal'; signal: string }
  | { kind: 'timeout' }
  | { kind: 'aborted' }
  /** It never started. */
  | { kind: 'error'; message: string };

/** The exit code is the result: 0 is success. */
export function classifyCommand(outcome: CommandOutcome): Verdict {
  switch (outcome.kind) {
    case 'exit':
      return outcome.code === 0 ? { kind: 'success' } : failed(`EXIT_${outcome.code}`, exitInfo(outcome, outcome.code));
    case 'signal':
      return failed(`SIGNAL_${outcome.signal.replace(/^SIG/, '')}`, `the command was ended by ${outcome.signal}`);
    case 'timeout':
      return { kind: 'timeout', errorInfo: `the command was killed: not over after ${Math.round(outcome.totalMs)} ms` };
    case 'aborted':
      return { kind: 'canceled' };
    case 'error':
      return failed('COMMAND_NOT_STARTED', outcome.message);
  }
}

const failed = (errorCode: string, errorInfo: string): Verdict => ({ kind: 'failed', errorCode, errorInfo });

/** Longest part of its own words that an error repeats. */
const QUOTED = 500;

/** The last line of stderr is nearly always what a person asks for first. */
function exitInfo({ stderr }: CommandOutcome, code: number): string {
  const last = stderr.text.trimEnd().split('\n').at(-1)?.trim().slice(0, QUOTED);
  return `the command ended with exit code ${code}${last ? `: ${last}` : ''}`;
}
