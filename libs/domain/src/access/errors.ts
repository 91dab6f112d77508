import type { Role } from './roles.js';

/** Nobody knows who asks: there is no key, or none that is good. */
export class Unauthenticated extends Error {
  constructor(
    reason: string,
    /** Whether a key was shown at all. */
    readonly wasTried: boolean,
  ) {
    super(reason);
  }
}

/** It is known who asks, and they may not. */
export class Forbidden extends Error {
  static needs(least: Role, has: Role): Forbidden {
    return new Forbidden(`this needs a key with the role ${least} or a higher one; yours has ${has}`);
  }
}

/** More was asked for than a limit of the deployment allows. */
export class TooMany extends Error {
  constructor(
    reason: string,
    readonly retryAfterSeconds: number,
    readonly kind: 'rate-limited' | 'quota-exceeded' = 'rate-limited',
  ) {
    super(reason);
  }
}
