import { describe, expect, it } from '@jest/globals';
import { ELSEWHERE_MS, PATIENCE_MS } from '#domain';
import type { Host } from './host.js';
import { HostLines } from './host-lines.js';
import { OfferedJob } from './waiting-run.js';

const RULES = { most: 128, shares: true, rate: 0 };

/** Lines under a clock that the test sets, and runs that are named after their host. */
class Scene {
  now = 0;
  free: number;
  readonly lines: HostLines;
  private readonly calls: { host: Host; beganAt: number }[] = [];
  private count = 0;

  constructor(slots: number, rules = {}, places = 50) {
    this.free = slots;
    this.lines = new HostLines({ rules: { ...RULES, ...rules }, places });
  }

  /** One job with that many runs; says whether it is over. */
  offer(host: string, runs: number, priority = 0): () => boolean {
    let over = false;
    const job = new OfferedJob(
      runs,
      () => (over = true),
      () => undefined,
    );
    for (let i = 0; i < runs; i++) {
      this.lines.join(host, { id: `${host}${++this.count}`, priority, since: this.now, job });
    }
    return () => over;
  }

  start(): string[] {
    const picked = this.lines.pick(this.free, 0, this.now);
    this.free -= picked.length;
    for (const { host, job } of picked) {
      host.begin(this.now);
      this.calls.push({ host, beganAt: this.now });
      job?.release();
    }
    return picked.map((run) => run.id);
  }

  end(count: number): void {
    for (const { host, beganAt } of this.calls.splice(0, count)) host.end(beganAt, this.now);
    this.free += count;
  }

  review() {
    const left = this.lines.review(this.free, this.now, PATIENCE_MS);
    return left.map(({ runs, ...rest }) => ({ runs: runs.length, ...rest }));
  }
}

describe('HostLines', () => {
  it('gives free slots to one host after the other', () => {
    const scene = new Scene(6);
    scene.offer('a', 5);
    scene.offer('b', 1);
    scene.offer('c', 2);
    expect(scene.start()).toEqual(['a1', 'b6', 'c7', 'a2', 'c8']);
  });

  it('goes on in turn when slots come one by one', () => {
    const scene = new Scene(1, { shares: false });
    scene.offer('a', 3);
    scene.offer('b', 2);
    const order: string[] = [];
    for (let i = 0; i < 5; i++) {
      order.push(...scene.start());
      scene.end(1);
    }
    expect(order).toEqual(['a1', 'b4', 'a2', 'b5', 'a3']);
  });

  it('starts higher priorities first, whatever their host, and of one priority one host after the other', () => {
    const scene = new Scene(9);
    scene.offer('a', 2);
    scene.offer('b', 1);
    scene.offer('c', 2, 5);
    scene.offer('b', 1, 5);
    scene.offer('a', 1, 9);
    expect(scene.start()).toEqual(['a7', 'b6', 'c4', 'c5', 'a1', 'b3', 'a2']);
  });

  it('starts others while the host of those that hurry has had its share', () => {
    const scene = new Scene(4);
    scene.offer('a', 9, 9);
    scene.offer('b', 2);
    expect(scene.start()).toEqual(['a1', 'a2', 'b10']);
  });

  it('starts no more of a host than its share, and others all the same', () => {
    const scene = new Scene(10);
    scene.offer('a', 20);
    expect(scene.start()).toHaveLength(5);
    scene.offer('b', 1);
    expect(scene.start()).toEqual(['b21']);
  });

  it('puts the runs of a host that hangs off; their job is over when they are back in the queue', () => {
    const scene = new Scene(10, {}, 5);
    const isOver = scene.offer('a', 20);
    scene.start();
    expect(scene.review()).toEqual([]);
    scene.now = 30_000;
    expect(scene.review()).toEqual([{ runs: 15, reason: 'host', afterMs: 1_000 }]);
    expect(isOver()).toBe(false);
    scene.offer('a', 3);
    expect(scene.start()).toEqual([]);
    expect(scene.review()).toEqual([{ runs: 3, reason: 'host', afterMs: 1_010 }]);
    expect(scene.lines.isEmpty).toBe(true);
  });

  it('parks runs of a slow host without their job, and starts them as it has room', () => {
    const scene = new Scene(10);
    scene.offer('a', 5);
    scene.start();
    scene.now = 500;
    scene.end(1);
    const isOver = scene.offer('a', 6);
    expect(scene.start()).toEqual(['a6']);
    expect(scene.review()).toEqual([]);
    expect(isOver()).toBe(true);
    scene.now = 900;
    scene.end(2);
    expect(scene.start()).toEqual(['a7', 'a8']);
    scene.now = 1_500;
    expect(scene.review()).toMatchObject([{ runs: 3, reason: 'host' }]);
  });

  it('waits with the job for a fast host', () => {
    const scene = new Scene(10, {}, 2);
    scene.offer('a', 5);
    scene.start();
    scene.now = 10;
    scene.end(5);
    const isOver = scene.offer('a', 50);
    expect(scene.start()).toHaveLength(8);
    expect(scene.review()).toEqual([]);
    expect(isOver()).toBe(false);
  });

  it('hands on what has found no free slot for a second, to whoever gets it next', () => {
    const scene = new Scene(2, { shares: false });
    scene.offer('a', 2);
    scene.start();
    scene.offer('b', 3);
    scene.now = 999;
    expect(scene.review()).toEqual([]);
    scene.now = 1_000;
    expect(scene.review()).toEqual([{ runs: 3, reason: 'slots', afterMs: ELSEWHERE_MS }]);
  });

  it('follows the rate of a host', () => {
    const scene = new Scene(100, { rate: 20 });
    scene.offer('a', 40);
    const started: number[] = [];
    for (; scene.now <= 1_000; scene.now += 50) started.push(scene.start().length);
    expect(started.slice(0, 3)).toEqual([2, 1, 1]);
    expect(started.reduce((sum, one) => sum + one, 0)).toBe(22);
    scene.now = 1_000;
    expect(scene.review()).toEqual([{ runs: 18, reason: 'host', afterMs: 900 }]);
  });

  it('forgets hosts that have nothing to do', () => {
    const scene = new Scene(1, { shares: false });
    for (let i = 0; i < 1_500; i++) {
      scene.offer(`host${i}`, 1);
      scene.start();
      scene.end(1);
    }
    expect((scene.lines as unknown as { hosts: Map<string, unknown> }).hosts.size).toBeLessThanOrEqual(1_000);
  });

  describe('beyond the free slots', () => {
    const swift = () => {
      const scene = new Scene(5);
      scene.offer('a', 1);
      scene.start();
      scene.now += 10;
      scene.end(1);
      return scene;
    };
    const ahead = ({ lines, free, now }: Scene, most: number) => lines.pick(free, most, now).map(({ id }) => id);

    it('takes more of a host that is known to answer at once', () => {
      const [scene, alone] = [swift(), swift()];
      for (const one of [scene, alone]) one.offer('a', 20);
      expect(ahead(scene, 6).length - ahead(alone, 0).length).toBe(6);
    });

    it.each<[string, () => Scene]>([
      ['nobody knows', () => new Scene(5)],
      [
        'takes its time now',
        () => {
          const scene = swift();
          scene.offer('a', 1);
          scene.start();
          scene.now += 60;
          return scene;
        },
      ],
    ])('takes no more of one that %s', (_title, before) => {
      const [scene, alone] = [before(), before()];
      for (const one of [scene, alone]) one.offer('a', 20);
      expect(ahead(scene, 6)).toEqual(ahead(alone, 0));
    });

    it('keeps to the rate of a host', () => {
      const scene = new Scene(5, { rate: 2 });
      scene.offer('a', 20);
      scene.start();
      scene.now += 10;
      scene.end(2);
      expect(ahead(scene, 6)).toEqual([]);
    });
  });
});
