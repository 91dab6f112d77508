import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { groupSpecs } from './spec-groups.mjs';

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
  const { failedFiles, ...counts } = await runFirst(options);
  const isFew = failedFiles.length > 0 && failedFiles.length <= SECOND_CHANCES[options.suite];
  // A group is gone by now: what failed in it is not known by name.
  const again = isFew && failedFiles.every((file) => fs.existsSync(path.join(options.root, file)));
  if (!again || options.current.isStopping) return { ...counts, seconds: secondsSince(since) };
  console.error(`\n━━ ${failedFiles.join(', ')}: failed, and now once more, alone`);
  const second = await runOnce({ ...options, args: failedFiles, name: 'again', workers: ['--runInBand'] });
  const passed = counts.passed + (counts.failed - second.failed);
  const unsteady = failedFiles.filter((file) => !second.failedFiles.includes(file));
  return { ...counts, passed, failed: second.failed, unsteady, seconds: secondsSince(since) };
}

/** The whole integration suite runs in groups of files; whoever asks for some of it gets these files. */
async function runFirst(options) {
  if (options.suite !== 'integration' || options.args.length > 0) return runOnce(options);
  const groups = groupSpecs(options.root, 'test/integration');
  try {
    return await runOnce({ ...options, project: 'groups', fileOf: groups.fileOf });
  } finally {
    groups.remove();
  }
}

const secondsSince = (start) => (performance.now() - start) / 1000;

async function runOnce(options) {
  const { root, suite, env, args, folder, current } = options;
  const { name = 'first', workers = WORKERS[suite], project = suite, fileOf } = options;
  const outputFile = path.join(folder, `${suite}-${env.PUNCTUAL_TEST_STACK ?? 'none'}-${name}.json`);
  const node = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  // The patterns come first: --selectProjects takes every plain word that follows it.
  const flags = [...workers, '--passWithNoTests', '--json', `--outputFile=${outputFile}`];
  const child = spawn(process.execPath, [...node, ...args, ...flags, '--selectProjects', project], {
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
  return count(root, outputFile, code, fileOf);
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

function count(root, outputFile, code, fileOf) {
  const report = fs.existsSync(outputFile) ? JSON.parse(fs.readFileSync(outputFile, 'utf8')) : {};
  const failedResults = (report.testResults ?? []).filter(({ status }) => status === 'failed');
  // A file that does not even load has no tests to fail, and counts as one.
  const failed = (report.numFailedTests ?? 0) + (report.numRuntimeErrorTestSuites ?? 0);
  return {
    passed: report.numPassedTests ?? 0,
    failed: code !== 0 && failed === 0 ? 1 : failed,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
    failedFiles: [...new Set(failedResults.flatMap((result) => filesOf(result, root, fileOf)))],
  };
}

/** Of a group: the files whose tests have failed in it, or the group itself if that cannot be told. */
function filesOf({ name, assertionResults }, root, fileOf) {
  const own = path.relative(root, name);
  if (fileOf === undefined) return [own];
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  return failed.length === 0 ? [own] : failed.map(({ ancestorTitles }) => fileOf(ancestorTitles[0]) ?? own);
}
