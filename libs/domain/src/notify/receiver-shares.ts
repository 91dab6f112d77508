interface Receiver {
  busy: number;
  /** How long its calls take, the recent ones counting most. */
  ms: number;
  /** When the last of those who were put off will have had their turn. */
  busyUntil: number;
}

const FIRST_GUESS_MS = 200;
const SHORTEST_WAIT_MS = 250;
const WEIGHT = 0.3;

/**
 * Keeps a receiver that hangs, or gets very many notices, from taking all the places of a worker. Who finds its share taken is
 * told when to come back: one after the other, at the pace of the receiver. Times are milliseconds of any steady clock.
 */
export class ReceiverShares {
  private readonly receivers = new Map<string, Receiver>();

  constructor(private readonly most: number) {}

  /** Null: go ahead, and say when it is over. Else how long to wait before asking again. */
  begin(host: string, now: number): number | null {
    const receiver = this.receivers.get(host) ?? { busy: 0, ms: FIRST_GUESS_MS, busyUntil: now };
    this.receivers.set(host, receiver);
    if (receiver.busy < this.most) {
      receiver.busy += 1;
      return null;
    }
    receiver.busyUntil = Math.max(receiver.busyUntil, now) + receiver.ms / this.most;
    return Math.max(SHORTEST_WAIT_MS, Math.round(receiver.busyUntil - now));
  }

  end(host: string, tookMs: number): void {
    const receiver = this.receivers.get(host);
    if (receiver === undefined) return;
    receiver.busy -= 1;
    receiver.ms += (tookMs - receiver.ms) * WEIGHT;
    if (receiver.busy === 0) this.receivers.delete(host);
  }
}
