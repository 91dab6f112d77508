const MINIMUM = [20, 19];

/** Says so, and sets the exit code, when this Node.js is too old. To be called before anything newer is imported. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return true;
  const wanted = MINIMUM.join('.');
  console.error(
    `✗ Punctual needs Node.js ${wanted} or newer, this is ${process.versions.node}: see https://nodejs.org`,
  );
  process.exitCode = 1;
  return false;
}
