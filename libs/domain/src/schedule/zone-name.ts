import { CronError, shown } from './cron-error.js';

const LONGEST_NAME = 64;
const SHAPE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/**
 * Names ICU knows and the IANA database does not. Some of them mean another zone than people expect
 * (BST is Dhaka, IST is Kolkata), so they are as unknown here as they are to cron.
 */
const ICU_ONLY = new Set(
  (
    'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST ' +
    'CANADA/EAST-SASKATCHEWAN'
  ).split(' '),
);

/** The name Intl uses for a zone, aliases resolved. Refuses offsets, ICU's own names and whatever Intl does not know. */
export function canonicalZone(name: string): string {
  const upper = name.length > LONGEST_NAME ? '' : name.toUpperCase();
  const plausible = upper !== '' && SHAPE.test(name) && !ICU_ONLY.has(upper) && !upper.startsWith('SYSTEMV/');
  const canonical = plausible ? askIntl(name) : undefined;
  if (canonical === undefined) {
    throw new CronError(
      'timezone',
      `${shown(name) || 'an empty name'} is not an IANA zone such as Europe/Berlin or UTC`,
    );
  }
  return canonical;
}

function askIntl(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

// The first question of a process makes ICU load its data, 20 ms; better now than within somebody's request.
askIntl('UTC');
