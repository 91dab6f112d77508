import { errors } from 'undici';

/** Let go of when others need the room. */
export interface Idle {
  destroy(error: Error): void;
}

/** The connections to all origins that nobody uses. Targets decide how long they last, so it is bounded how many there are. */
export class IdleConnections {
  /** The one that has been idle longest comes first. */
  private readonly all = new Set<Idle>();

  constructor(private readonly most: number) {}

  add(connection: Idle): void {
    this.all.add(connection);
    if (this.all.size <= this.most) return;
    for (const oldest of this.all) {
      this.all.delete(oldest);
      oldest.destroy(new errors.InformationalError('too many idle connections'));
      return;
    }
  }

  remove(connection: Idle): void {
    this.all.delete(connection);
  }
}
