// One line per step, with the time it took, and a sign of life while it runs.
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Runs `work` under a title. On a terminal a spinner turns; elsewhere a line appears every two seconds. */
export async function step(title, quiet, work) {
  if (quiet) return work();
  const since = performance.now();
  const seconds = () => ((performance.now() - since) / 1000).toFixed(1);
  const alive = process.stdout.isTTY ? spinner(title, seconds) : heartbeat(title, seconds);
  try {
    const result = await work();
    clearInterval(alive);
    finish(`✓ ${title} (${seconds()} s)`);
    return result;
  } catch (error) {
    clearInterval(alive);
    finish(`✗ ${title} (${seconds()} s)`);
    throw error;
  }
}

function spinner(title, seconds) {
  let frame = 0;
  return setInterval(() => {
    process.stdout.write(`\r\x1b[K${FRAMES[frame++ % FRAMES.length]} ${title} … ${seconds()} s`);
  }, 100);
}

function heartbeat(title, seconds) {
  return setInterval(() => console.log(`  ${title} … ${seconds()} s`), 2000);
}

function finish(line) {
  process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}${line}\n`);
}
