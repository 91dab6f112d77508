/**
 * Expressions of the dialect out of random numbers. The numbers come from fast-check; 0 gives the plainest piece, so
 * failures shrink.
 */

/** A number from 0 to `below` - 1. */
export type Dice = (below: number) => number;

export const NUMBERS_NEEDED = 100;

export function diceFrom(numbers: readonly number[]): Dice {
  let thrown = 0;
  return (below) => (numbers[thrown++ % numbers.length] ?? 0) % below;
}

const pick = <T>(dice: Dice, of: readonly T[]): T => of[dice(of.length)];

function item(dice: Dice, min: number, max: number, last = max): string {
  const size = last - min + 1;
  const value = (top: number): number => min + dice(top - min + 1);
  const range = (): string => {
    const from = value(max);
    return `${from}-${from + dice(max - from + 1)}`;
  };
  const kinds = [
    () => String(value(max)),
    range,
    () => `${pick(dice, ['*', '?'])}/${1 + dice(size)}`,
    () => `${value(last)}/${1 + dice(size)}`,
    () => `${range()}/${1 + dice(size)}`,
  ];
  return pick(dice, kinds)();
}

const list = (dice: Dice, next: () => string): string => Array.from({ length: 1 + dice(3) }, next).join(',');

const field = (dice: Dice, starsOfTen: number, next: () => string): string =>
  dice(10) < starsOfTen ? pick(dice, ['*', '?']) : list(dice, next);

const DATES = ['L', 'LW', 'l', '1W', '15w', '31W', '30W', '29W'];
const WEEKDAYS = ['MON', 'fri-sun', 'SAT-SUN', 'TUE-THU/2', 'Wed/2', '1#1', 'FRI#2', '7#5', '5L', 'sunL', '3#4'];

/** `second` stands as it is, if given. */
export function randomFields(dice: Dice, second?: string): string[] {
  return [
    second ?? field(dice, 3, () => item(dice, 0, 59)),
    field(dice, 3, () => item(dice, 0, 59)),
    field(dice, 3, () => item(dice, 0, 23)),
    field(dice, 7, () => (dice(5) < 4 ? item(dice, 1, 31) : pick(dice, DATES))),
    field(dice, 8, () => item(dice, 1, 12)),
    field(dice, 7, () => (dice(5) < 3 ? item(dice, 0, 7, 6) : pick(dice, WEEKDAYS))),
  ];
}

export const zones = Intl.supportedValuesOf('timeZone');
