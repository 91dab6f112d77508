/**
 * Whether the queue still knows what it was told. It is disposable: it may be emptied, or come back from a crash without its
 * latest jobs. A mark that goes with its jobs tells: where the mark is missing, or is from another life of the server, jobs may be
 * missing too.
 */
export interface QueueMemory {
  /**
   * Null when it knows everything, or when somebody else is telling it anew. Otherwise the caller is the one to do so, and says it
   * is done with the answer; should it die before, somebody else is asked after a while.
   */
  lost(): Promise<string | null>;
  /** It was told everything. False: it has forgotten again meanwhile, so that all of it has to be told once more. */
  restored(telling: string): Promise<boolean>;
}

/** Whoever tells the queue anew and is not through by then is taken for dead. */
export const TELLING_MS = 120_000;
