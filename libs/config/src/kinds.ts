import { createSecretKey } from 'node:crypto';
import { isIP } from 'node:net';
import { parseAddressRule } from './address-rule.js';
import { type CaFile, readCaFile } from './ca-file.js';
import { NotAllowed } from './not-allowed.js';
import type { SecretKey } from './secret-box.js';

/** One kind of setting: how its text becomes a value, and how what is allowed is said to a person. */
export interface Setting<Value> {
  readonly name: string;
  readonly fallback: string;
  readonly allowed: string;
  readonly meaning: string;
  /** What was given is never shown, not even as the mistake it is. */
  readonly isSecret?: boolean;
  /** Throws NotAllowed. */
  parse(raw: string | undefined): Value;
}

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

/** Networks, hosts and ports that calls may, or may not, go to. */
export function addressRules(name: string, meaning: string): Setting<readonly string[]> {
  const plain = list(name, meaning);
  return {
    ...plain,
    parse: (raw) => {
      const entries = plain.parse(raw);
      for (const entry of entries) checkAddressRule(entry);
      return entries;
    },
  };
}

function checkAddressRule(entry: string): void {
  try {
    parseAddressRule(entry);
  } catch (error) {
    throw new NotAllowed((error as Error).message);
  }
}

/** Read once, with everything else, so that a file that is not there is said at start and not by the first connection. */
export function caFile(name: string, meaning: string): Setting<CaFile | null> {
  return setting<CaFile | null>(name, null, '', 'file of PEM certificates, or `system`', meaning, readCaFile);
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
    checkPercents(parsed);
    return schemes.includes(parsed.protocol.slice(0, -1)) && parsed.hostname ? raw : refuse();
  });
}

/** Whoever connects takes them apart again, and would fail there. */
function checkPercents({ username, password }: URL): void {
  try {
    for (const part of [username, password]) decodeURIComponent(part);
  } catch {
    throw new NotAllowed('its user or password has a % that says nothing; write %25 for one');
  }
}

/** Whole numbers, with the ones that are meant when nothing is said. */
export function numbers(
  name: string,
  fallback: readonly number[],
  min: number,
  max: number,
  meaning: string,
): Setting<readonly number[]> {
  const allowed = `comma-separated whole numbers ${min}–${max}`;
  return setting<readonly number[]>(name, fallback, fallback.join(','), allowed, meaning, (raw) => {
    const values = raw.split(',').map((item) => (/^\d{1,15}$/.test(item.trim()) ? Number(item.trim()) : NaN));
    return values.every((value) => value >= min && value <= max) ? values : refuse();
  });
}

/** A list of words of a closed set. */
export function choices<const Words extends readonly string[]>(
  name: string,
  words: Words,
  meaning: string,
): Setting<readonly Words[number][]> {
  const allowed = `comma-separated: ${words.map((word) => `\`${word}\``).join(', ')}`;
  return setting<readonly Words[number][]>(name, words, words.join(','), allowed, meaning, (raw) => {
    const given = raw.split(',').map((item) => item.trim());
    return given.every((word) => words.includes(word)) ? given : refuse();
  });
}

export function secret(name: string, meaning: string): Setting<string | null> {
  return { ...setting<string | null>(name, null, '', 'text', meaning, (raw) => raw), isSecret: true };
}

const KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]{43}=?)$/;

/** Keys of 256 bits, each with the name it is known by. */
export function secretKeys(name: string, meaning: string): Setting<readonly SecretKey[]> {
  const read = (raw: string) => {
    const keys = raw.split(',').map((item) => {
      const [, id, text] = KEY.exec(item.trim()) ?? refuse();
      return { id, key: createSecretKey(Buffer.from(text, 'base64')) };
    });
    return new Set(keys.map(({ id }) => id)).size === keys.length ? keys : refuse();
  };
  const allowed = 'comma-separated `<name>:<base64 of 32 bytes>`';
  return { ...setting<readonly SecretKey[]>(name, [], '', allowed, meaning, read), isSecret: true };
}

/** One of a closed set of words, or null where the default depends on other settings. */
export function optionalChoice<const Words extends readonly string[]>(
  name: string,
  words: Words,
  meaning: string,
): Setting<Words[number] | null> {
  const allowed = words.map((word) => `\`${word}\``).join(', ');
  return setting<Words[number] | null>(name, null, '', allowed, meaning, (raw) =>
    words.includes(raw) ? raw : refuse(),
  );
}

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** Addresses and networks, as Fastify takes them. */
export function addresses(name: string, meaning: string): Setting<readonly string[]> {
  const allowed = `comma-separated addresses, CIDRs, ${NETWORKS.map((word) => `\`${word}\``).join(', ')}`;
  return setting<readonly string[]>(name, [], '', allowed, meaning, (raw) => {
    const given = raw.split(',').map((item) => item.trim());
    return given.every((item) => NETWORKS.includes(item) || isNetwork(item)) ? given : refuse();
  });
}

function isNetwork(text: string): boolean {
  const [, address, bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address ?? '');
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}
