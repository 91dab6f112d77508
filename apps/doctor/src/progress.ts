const FIRST_MS = 2_000;

/** Says how far it is, once it takes longer than two seconds, and then every two. */
export function progressEvery(say: (line: string) => void, now: () => number = () => performance.now()) {
  let next = now() + FIRST_MS;
  return (line: string): void => {
    if (now() < next) return;
    next = now() + FIRST_MS;
    say(`› ${line}`);
  };
}
