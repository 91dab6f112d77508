import type { CommandOutcome, OutputTail } from '#domain';
import { plain } from './plain.js';

/** A command that was run, and what came of it. */
export interface CommandRun {
  command: string;
  stdin?: string;
  outcome: CommandOutcome;
}

/** What an execution by command leaves, with its output or without. */
export function commandRecord({ command, stdin, outcome }: CommandRun, bodies: boolean) {
  const ended = { exit_code: outcome.kind === 'exit' ? outcome.code : null, signal: signalOf(outcome) };
  const sizes = { stdout_bytes: outcome.stdout.bytes, stderr_bytes: outcome.stderr.bytes };
  const timings = { total_ms: Math.round(outcome.totalMs) };
  const output = { stdout: shown(outcome.stdout), stderr: shown(outcome.stderr) };
  if (!bodies) return { result: null, request: { command }, response: { ...ended, ...sizes, timings } };
  return {
    result: { ...ended, ...output },
    request: { command, stdin: stdin === undefined ? undefined : plain(stdin) },
    response: { ...ended, ...output, ...sizes, timings },
  };
}

const signalOf = (outcome: CommandOutcome): string | null => (outcome.kind === 'signal' ? outcome.signal : null);

const shown = ({ text }: OutputTail): string => plain(text);
