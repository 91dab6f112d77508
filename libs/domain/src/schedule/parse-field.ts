import { HALF } from './bits.js';
import { CronError, shown } from './cron-error.js';
import { DAY_OF_WEEK, type FieldRule, sizeOf } from './field-rules.js';

/** One field read so far: its values, and how they were written where that matters. */
export interface FieldSet {
  low: number;
  high: number;
  /** Holds `*` or `?`, whatever the step. */
  star: boolean;
  /** Holds `*`, `?` or one of them with step 1. */
  any: boolean;
}

/** Reads an item that only some fields know (`L`, `15W`, `FRI#2`); false if it is none of them. */
export type ReadSpecial = (item: string) => boolean;

export function parseField(text: string, rule: FieldRule, readSpecial?: ReadSpecial): FieldSet {
  const set: FieldSet = { low: 0, high: 0, star: false, any: false };
  for (const item of text.includes(',') ? text.split(',') : [text]) {
    if (item === '') throw new CronError(rule.field, `empty item in ${shown(text)}; a comma stands between two items`);
    if (readSpecial?.(item) !== true) addItem(set, item, rule);
  }
  return set;
}

function addItem(set: FieldSet, item: string, rule: FieldRule): void {
  const slash = item.indexOf('/');
  const range = slash < 0 ? item : item.slice(0, slash);
  const step = slash < 0 ? 1 : parseStep(item, item.slice(slash + 1), rule);
  if (range === '*' || range === '?') {
    set.star = true;
    set.any ||= step === 1;
    addRange(set, rule.min, rule.last, step, rule);
  } else addWritten(set, item, range, slash >= 0, step, rule);
}

function addWritten(set: FieldSet, item: string, range: string, stepped: boolean, step: number, rule: FieldRule): void {
  const dash = range.indexOf('-');
  if (dash < 0) {
    const from = parseValue(item, range, rule);
    addRange(set, from, stepped ? Math.max(from, rule.last) : from, step, rule);
    return;
  }
  const from = parseValue(item, range.slice(0, dash), rule);
  const to = endOfRange(item, range.slice(dash + 1), from, rule);
  addRange(set, from, to, step, rule);
}

/** FRI-SUN is 5-7, since the week may end with Sunday; every other range runs forward. */
function endOfRange(item: string, text: string, from: number, rule: FieldRule): number {
  const to = parseValue(item, text, rule);
  if (to >= from) return to;
  if (rule === DAY_OF_WEEK && text.toUpperCase() === 'SUN') return rule.max;
  throw new CronError(rule.field, `${shown(item)} runs backwards; write two ranges instead`);
}

function addRange(set: FieldSet, from: number, to: number, step: number, rule: FieldRule): void {
  for (let value = from; value <= to; value += step) {
    const bit = value > rule.last ? 0 : value - rule.min;
    if (bit < HALF) set.low |= 1 << bit;
    else set.high |= 1 << (bit - HALF);
  }
}

function parseStep(item: string, text: string, rule: FieldRule): number {
  const size = sizeOf(rule);
  if (!isDigits(text)) throw new CronError(rule.field, `step of ${shown(item)} is not a number from 1 to ${size}`);
  const step = Number(text);
  if (step >= 1 && step <= size) return step;
  throw new CronError(rule.field, `step ${shown(text)} of ${shown(item)} is out of range 1–${size}`);
}

/** A number or a three-letter name. `item` is what the value was written in. */
export function parseValue(item: string, text: string, rule: FieldRule): number {
  if (!isDigits(text)) return parseName(item, text, rule);
  const value = Number(text);
  if (value >= rule.min && value <= rule.max) return value;
  const inItem = item === text ? '' : ` in ${shown(item)}`;
  throw new CronError(rule.field, `${shown(text)}${inItem} is out of range ${rule.min}–${rule.max}`);
}

function parseName(item: string, text: string, rule: FieldRule): number {
  // ASCII only: elsewhere other letters become these in upper case, such as a Turkish i.
  const index = /^[A-Za-z]{3}$/.test(text) ? rule.names.indexOf(text.toUpperCase()) : -1;
  if (index >= 0) return rule.min + index;
  throw new CronError(rule.field, `${shown(item)} is not understood; ${allowed(rule)}`);
}

function allowed({ min, max, names, special }: FieldRule): string {
  const named = names.length > 0 ? `, ${names[0]}–${names.at(-1)}` : '';
  return `allowed are ${min}–${max}${named}, *, a-b, */n, a/n, a-b/n${special} and lists of these`;
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return text.length > 0;
}
