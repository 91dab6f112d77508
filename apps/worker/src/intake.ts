/** Something that brings this worker new work, and can be told to leave off for a while. */
export interface Source {
  pause(): void;
  resume(): void;
}

type Reason = 'draining' | 'out of touch' | 'stopping';

/** Whether this worker takes new work. It does as long as there is no reason not to; each reason comes and goes by itself. */
export class Intake {
  private readonly reasons = new Set<Reason>();

  constructor(private readonly sources: readonly Source[]) {}

  close(reason: Reason): void {
    const wasOpen = this.reasons.size === 0;
    this.reasons.add(reason);
    if (wasOpen) for (const source of this.sources) source.pause();
  }

  open(reason: Reason): void {
    const wasLast = this.reasons.delete(reason) && this.reasons.size === 0;
    if (wasLast) for (const source of this.sources) source.resume();
  }
}
