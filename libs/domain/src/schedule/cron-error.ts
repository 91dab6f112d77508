export type CronField =
  'second' | 'minute' | 'hour' | 'day_of_month' | 'month' | 'day_of_week' | 'cron_expr' | 'timezone';

/** Why a schedule was refused: which field, which piece of it, and what is allowed there. */
export class CronError extends Error {
  override readonly name = 'CronError';

  constructor(
    readonly field: CronField,
    problem: string,
  ) {
    super(`${field}: ${problem}`);
  }
}

const SHOWN_CHARACTERS = 40;

/** A piece of somebody's input, made fit for an error message. */
export function shown(piece: string): string {
  const start = [...piece.slice(0, 2 * SHOWN_CHARACTERS)].slice(0, SHOWN_CHARACTERS).join('');
  const cut = start.length < piece.length ? `${start}…` : start;
  return cut.replace(/\p{C}/gu, '\uFFFD');
}
