/** The token is missing, or belongs to no attempt of the run. */
export class BadCallbackToken extends Error {
  constructor(readonly runId: string) {
    super('the callback needs the token its attempt was given, as "Authorization: Bearer <token>"');
  }
}

/** The task wants its callbacks by another method. */
export class WrongCallbackMethod extends Error {
  constructor(readonly allowed: string) {
    super(`callbacks of this task are sent with ${allowed} (callback_method)`);
  }
}

/** The attempt has been called back with another outcome before. */
export class OtherOutcome extends Error {
  constructor(
    readonly runId: string,
    readonly first: string,
  ) {
    super(
      `this attempt of run ${runId} was closed by an earlier callback with other content (${first}); the first one counts`,
    );
  }
}
