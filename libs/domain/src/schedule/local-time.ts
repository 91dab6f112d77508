import { wallText } from './calendar.js';
import { ZoneClock } from './zone-clock.js';

const two = (value: number): string => String(value).padStart(2, '0');

export function offsetText(offset: number): string {
  const size = Math.abs(offset);
  const seconds = size % 60 === 0 ? '' : `:${two(size % 60)}`;
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}${seconds}`;
}

/** 2026-03-29T03:00:00+02:00 */
export function localTime(second: number, zone: string): string {
  const whole = Math.floor(second);
  const { offset } = ZoneClock.of(zone).spanAt(whole);
  return `${wallText(whole + offset)}${offsetText(offset)}`;
}
