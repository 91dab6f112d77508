import { EARLIEST, LATEST } from './calendar.js';
import { firesBetween, type Schedule } from './schedule.js';

const within = (second: number): number | null => (second >= EARLIEST && second <= LATEST ? second : null);

/** `@every`: elapsed time, blind to clock changes, counted from the second it is given. */
export class EverySchedule implements Schedule {
  constructor(
    readonly every: number,
    readonly zone: string,
    private readonly ownZone: boolean,
  ) {}

  get normalized(): string {
    return `${this.ownZone ? `CRON_TZ=${this.zone} ` : ''}@every ${this.every}s`;
  }

  next(after: number): number | null {
    return within(Math.floor(after) + this.every);
  }

  previous(before: number): number | null {
    return within(Math.ceil(before) - this.every);
  }

  /** Any second can be a fire: that depends on the one before. */
  matches(second: number): boolean {
    return Number.isInteger(second);
  }

  between(from: number, to: number, limit: number): number[] {
    return firesBetween(this, from, to, limit);
  }

  count(from: number, to: number): number {
    return Math.max(Math.floor((Math.min(to, LATEST) - Math.floor(from)) / this.every), 0);
  }

  advance(after: number, steps: number): number | null {
    return within(Math.floor(after) + steps * this.every);
  }
}
