import type { RunTrigger } from '#domain';

export interface StartedRun {
  trigger: RunTrigger;
  attempt: number;
  scheduledTime: number;
}

/** Only of a tick that was admitted on time, and of its first start: all others are late by intent. */
export function latenessOf({ trigger, attempt, scheduledTime }: StartedRun, startedAt: number): number | undefined {
  return trigger === 'CRON' && attempt === 1 ? startedAt - scheduledTime : undefined;
}
