const MILLISECONDS = Array.from({ length: 1_000 }, (_, ms) => String(ms).padStart(3, '0'));
const MOST_KNOWN = 64;

/**
 * Writes times as `toISOString` does, with another separator and end. Many are written in the same few seconds, of which only the
 * milliseconds differ: a second's text is made once.
 */
export function timeWriter(separator: string, end: string): (time: number) => string {
  const known = new Map<number, string>();
  return (time) => {
    const ms = Math.trunc(time);
    const second = Math.floor(ms / 1000);
    let text = known.get(second);
    if (text === undefined) {
      if (known.size >= MOST_KNOWN) known.clear();
      text = new Date(second * 1000).toISOString().replace('T', separator).slice(0, -4);
      known.set(second, text);
    }
    return text + MILLISECONDS[ms - second * 1000] + end;
  };
}

/** The same text as `toISOString` has. */
export const isoTime = timeWriter('T', 'Z');
