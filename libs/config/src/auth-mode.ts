import { isLoopback } from './loopback.js';
import type { Config } from './settings.js';

/** Keys are asked for wherever somebody else could come in. */
export function authModeOf({ authMode, host }: Pick<Config, 'authMode' | 'host'>): 'keys' | 'none' {
  return authMode ?? (isLoopback(host) ? 'none' : 'keys');
}
