import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Runs the core of the fault scenarios to its end, on servers of their own. `current.child` is the running process. */
export async function runFaults({ root, args, folder, current }) {
  const report = path.join(folder, 'faults.json');
  const since = performance.now();
  const main = path.join(root, 'dist/test/faults/main.js');
  const child = spawn(process.execPath, [main, '--core', `--report=${report}`, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  current.child = child;
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  current.child = undefined;
  const counts = fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')) : { passed: 0, failed: 1 };
  const failed = code !== 0 ? Math.max(counts.failed, 1) : counts.failed;
  return { passed: counts.passed, failed, skipped: 0, seconds: (performance.now() - since) / 1000 };
}
