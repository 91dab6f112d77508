import { spawn } from 'node:child_process';

/**
 * Ends a server and removes its folder if this process disappears without doing so (kill -9, a crashed test run).
 * It reads a pipe that only we hold open: the end of the pipe is the end of us.
 */
export function guard(pid: number, folder: string, signal: 'TERM' | 'INT' = 'TERM'): { dismiss(): void } {
  const script = 'read _; kill -"$2" "$0" && sleep 5; kill -KILL "$0"; rm -rf "$1"';
  const guardian = spawn('/bin/sh', ['-c', script, String(pid), folder, signal], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    detached: true,
  });
  guardian.unref();
  // A pipe keeps the event loop alive by itself.
  (guardian.stdin as unknown as { unref(): void }).unref();
  guardian.stdin.on('error', () => undefined);
  return { dismiss: () => void guardian.kill('SIGKILL') };
}
