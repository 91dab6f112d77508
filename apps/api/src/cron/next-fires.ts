import { firstFireAt, localTime, type Schedule, transitionNote } from '#domain';

export interface Fire {
  at: string;
  local: string;
  note?: string;
}

export interface Window {
  startAt?: Date | null;
  endAt?: Date | null;
}

/** The coming fires of a schedule, each with the wall clock's time and what daylight saving did to it. */
export function nextFires(schedule: Schedule, from: Date, count: number, { startAt, endAt }: Window = {}): Fire[] {
  const [start, end] = [secondsOf(startAt), secondsOf(endAt)];
  const fires: Fire[] = [];
  let second = firstFireAt(schedule, Math.floor(from.getTime() / 1000), start, end);
  while (second !== null && fires.length < count) {
    fires.push(fireAt(schedule, second));
    second = firstFireAt(schedule, second, start, end);
  }
  return fires;
}

const secondsOf = (time: Date | null | undefined): number | undefined => (time ? time.getTime() / 1000 : undefined);

function fireAt(schedule: Schedule, second: number): Fire {
  const note = transitionNote(schedule, second);
  const at = new Date(second * 1000).toISOString();
  return { at, local: localTime(second, schedule.zone), ...(note === undefined ? {} : { note }) };
}
