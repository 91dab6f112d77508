// One line per step, with the time it took, and a sign of life while it runs.
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Runs `work` under a title. On a terminal a spinner turns; elsewhere a dot appears every two seconds. */
export async function step(title, quiet, work) {
  if (quiet) return work();
  const since = performance.now();
  const seconds = () => ((performance.now() - since) / 1000).toFixed(1);
  const show = process.stdout.isTTY ? spinner(title, seconds) : dots(title);
  try {
    const result = await work();
    show.end(`✓ ${title} (${seconds()} s)`);
    return result;
  } catch (error) {
    show.end(`✗ ${title} (${seconds()} s)`);
    throw error;
  }
}

function spinner(title, seconds) {
  let frame = 0;
  const turn = setInterval(() => {
    process.stdout.write(`\r\x1b[K${FRAMES[frame++ % FRAMES.length]} ${title} … ${seconds()} s`);
  }, 100);
  return { end: (line) => end(turn, `\r\x1b[K${line}`) };
}

function dots(title) {
  let isOpen = false;
  const dot = setInterval(() => {
    process.stdout.write(isOpen ? '.' : `  ${title} .`);
    isOpen = true;
  }, 2000);
  return { end: (line) => end(dot, `${isOpen ? '\n' : ''}${line}`) };
}

function end(timer, text) {
  clearInterval(timer);
  process.stdout.write(`${text}\n`);
}
