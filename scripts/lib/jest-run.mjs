import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const LIMIT_MS = 20 * 60_000;
const EXIT_MS = 60_000;
// The processes under test share two cores with their servers; end-to-end tests measure time, so one at a time.
const WORKERS = { unit: [], integration: ['--maxWorkers=2'], e2e: ['--runInBand'] };

/** Whole deployments with real servers on a busy machine: so many files may be given a second chance, alone. */
const SECOND_CHANCES = { unit: 0, integration: 2, e2e: 2 };

/**
 * Runs one jest project to its end. `current.child` is the running process, for whoever has to end it. A file that fails and then
 * passes alone is not a failure, but it is named in `unsteady`: a test or the product has a race, and somebody has to look.
 */
export async function runJest(options) {
  const since = performance.now();
  const first = await runOnce(options);
  const { failedFiles, ...counts } = first;
  const again = failedFiles.length > 0 && failedFiles.length <= SECOND_CHANCES[options.suite];
  if (!again || options.current.isStopping) return { ...counts, seconds: secondsSince(since) };
  console.error(`\n━━ ${failedFiles.join(', ')}: failed, and now once more, alone`);
  const second = await runOnce({ ...options, args: failedFiles, name: 'again', workers: ['--runInBand'] });
  const passed = counts.passed + (counts.failed - second.failed);
  const unsteady = failedFiles.filter((file) => !second.failedFiles.includes(file));
  return { ...counts, passed, failed: second.failed, unsteady, seconds: secondsSince(since) };
}

const secondsSince = (start) => (performance.now() - start) / 1000;

async function runOnce({ root, suite, env, args, folder, current, name = 'first', workers = WORKERS[suite] }) {
  const outputFile = path.join(folder, `${suite}-${env.PUNCTUAL_TEST_STACK ?? 'none'}-${name}.json`);
  const node = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  // The patterns come first: --selectProjects takes every plain word that follows it.
  const options = [...workers, '--passWithNoTests', '--json', `--outputFile=${outputFile}`];
  const child = spawn(process.execPath, [...node, ...args, ...options, '--selectProjects', suite], {
    cwd: root,
    env: { ...process.env, ...env },
    // --json also prints the report to stdout; what people read goes to stderr.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  current.child = child;
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const watch = endIfStuck(child, outputFile);
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  clearTimeout(limit);
  clearInterval(watch);
  current.child = undefined;
  return count(root, outputFile, code);
}

/** The report is there, yet jest does not exit: a test has left something open. It counts as a failure. */
function endIfStuck(child, outputFile) {
  let since;
  return setInterval(() => {
    if (!fs.existsSync(outputFile)) return;
    since ??= Date.now();
    if (Date.now() - since < EXIT_MS) return;
    console.error('✗ a test has left something open (a server, a connection, a process): jest could not exit');
    child.kill('SIGKILL');
  }, 1000);
}

function count(root, outputFile, code) {
  const report = fs.existsSync(outputFile) ? JSON.parse(fs.readFileSync(outputFile, 'utf8')) : {};
  const failedResults = (report.testResults ?? []).filter(({ status }) => status === 'failed');
  // A file that does not even load has no tests to fail, and counts as one.
  const failed = (report.numFailedTests ?? 0) + (report.numRuntimeErrorTestSuites ?? 0);
  return {
    passed: report.numPassedTests ?? 0,
    failed: code !== 0 && failed === 0 ? 1 : failed,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
    failedFiles: failedResults.map((result) => path.relative(root, result.name)),
  };
}
