import { spawn } from 'node:child_process';

/** Runs a command to its end; its output is shown only if it fails. */
export function run(command, args, { cwd, env = {} }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(output);
      reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}\n${output.trim()}`));
    });
  });
}
