/** What one check came to. */
export interface Finding {
  /** `advice` is worth knowing, and harms nothing. */
  level: 'ok' | 'advice' | 'wrong';
  /** What was looked at. */
  about: string;
  says: string;
  /** What to do about it; absent where all is well. */
  todo?: string;
}

export const ok = (about: string, says: string): Finding => ({ level: 'ok', about, says });
export const advice = (about: string, says: string, todo: string): Finding => ({ level: 'advice', about, says, todo });
export const wrong = (about: string, says: string, todo: string): Finding => ({ level: 'wrong', about, says, todo });

const SIGNS = { ok: '✓', advice: '!', wrong: '✗' };

export function findingLines({ level, about, says, todo }: Finding): string[] {
  return [`${SIGNS[level]} ${about}: ${says}`, ...(todo === undefined ? [] : [`  → ${todo}`])];
}
