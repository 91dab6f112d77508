/** One kind of setting: how its text becomes a value, and how what is allowed is said to a person. */
export interface Setting<Value> {
  readonly name: string;
  readonly fallback: string;
  readonly allowed: string;
  readonly meaning: string;
  /** Throws NotAllowed. */
  parse(raw: string | undefined): Value;
}

/** The text given is none of what is allowed. */
export class NotAllowed extends Error {}

const refuse = (): never => {
  throw new NotAllowed();
};

function setting<Value>(
  name: string,
  fallback: Value,
  shown: string,
  allowed: string,
  meaning: string,
  read: (raw: string) => Value,
): Setting<Value> {
  const given = (raw: string | undefined): raw is string => raw !== undefined && raw.trim() !== '';
  return { name, fallback: shown, allowed, meaning, parse: (raw) => (given(raw) ? read(raw.trim()) : fallback) };
}

export function text(name: string, fallback: string, meaning: string): Setting<string> {
  return setting(name, fallback, fallback, 'text', meaning, (raw) => raw);
}

export function integer(name: string, fallback: number, min: number, max: number, meaning: string): Setting<number> {
  const allowed = `whole number ${min}–${max}`;
  return setting(name, fallback, String(fallback), allowed, meaning, (raw) => {
    const value = /^\d{1,15}$/.test(raw) ? Number(raw) : NaN;
    return value >= min && value <= max ? value : refuse();
  });
}

const UNITS: Record<string, number> = { '': 1, kb: 1_024, mb: 1_048_576 };

export function bytes(name: string, fallback: number, min: number, max: number, meaning: string): Setting<number> {
  const allowed = `bytes ${min}–${max}, \`kb\` and \`mb\` understood`;
  return setting(name, fallback, String(fallback), allowed, meaning, (raw) => {
    const [, digits, unit] = /^(\d{1,12})\s*(kb|mb|)$/i.exec(raw) ?? refuse();
    const value = Number(digits) * UNITS[unit.toLowerCase()];
    return value >= min && value <= max ? value : refuse();
  });
}

const FLAGS: Record<string, boolean> = { enabled: true, true: true, 1: true, disabled: false, false: false, 0: false };

export function flag(name: string, fallback: boolean, meaning: string): Setting<boolean> {
  const shown = fallback ? 'enabled' : 'disabled';
  return setting(
    name,
    fallback,
    shown,
    '`enabled`, `disabled`',
    meaning,
    (raw) => FLAGS[raw.toLowerCase()] ?? refuse(),
  );
}

export function choice<const Words extends readonly string[]>(
  name: string,
  words: Words,
  fallback: Words[number],
  meaning: string,
): Setting<Words[number]> {
  const allowed = words.map((word) => `\`${word}\``).join(', ');
  return setting<Words[number]>(name, fallback, fallback, allowed, meaning, (raw) =>
    words.includes(raw) ? raw : refuse(),
  );
}

export function list(name: string, meaning: string, fallback: readonly string[] = []): Setting<readonly string[]> {
  return setting<readonly string[]>(name, fallback, fallback.join(','), 'comma-separated list', meaning, (raw) =>
    raw
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );
}

export function url(
  name: string,
  schemes: readonly string[],
  fallback: string | null,
  meaning: string,
): Setting<string | null> {
  const allowed = schemes.map((scheme) => `\`${scheme}://…\``).join(', ');
  return setting<string | null>(name, fallback, fallback ?? '', allowed, meaning, (raw) => {
    const parsed = URL.canParse(raw) ? new URL(raw) : refuse();
    return schemes.includes(parsed.protocol.slice(0, -1)) && parsed.hostname ? raw : refuse();
  });
}
