import { expect } from '@jest/globals';
import fc from 'fast-check';
import { CONCURRENCY_POLICIES, FAILURE_ACTIONS, OVERLAP_ACTIONS } from '#domain';
import type { Product } from './product.js';
import type { CallbackEnding, Definition, Ending, Policies } from './reference-task.js';
import { agree, verify } from './verify.js';
import type { World } from './world.js';

/** One thing that happens, to the reference and to the product; afterwards both must agree. */
class Step implements fc.AsyncCommand<World, Product> {
  constructor(
    private readonly title: string,
    private readonly isPossible: (world: World) => boolean,
    private readonly act: (world: World, product: Product) => Promise<void>,
  ) {}

  check(world: Readonly<World>): boolean {
    return this.isPossible(world);
  }

  async run(world: World, product: Product): Promise<void> {
    world.now += 10;
    await this.act(world, product);
    await verify(world, product);
  }

  toString(): string {
    return this.title;
  }
}

const mostly = <Value>(often: fc.Arbitrary<Value>, any: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: often }, { weight: 2, arbitrary: any });

/** All of them, but above all those under which runs wait in line. */
const policies: fc.Arbitrary<Policies> = fc.record({
  overlapAction: mostly(fc.constant('ALLOW'), fc.constantFrom(...OVERLAP_ACTIONS)),
  failureAction: fc.constantFrom(...FAILURE_ACTIONS),
  concurrencyPolicy: mostly(fc.constant('QUEUE'), fc.constantFrom(...CONCURRENCY_POLICIES)),
  maxConcurrency: mostly(fc.integer({ min: 1, max: 2 }), fc.nat(3)),
  queueLimit: mostly(fc.integer({ min: 2, max: 4 }), fc.nat(4)),
});

export const definitions: fc.Arbitrary<Definition> = fc
  .tuple(
    policies,
    fc.record({
      maxAttempts: fc.integer({ min: 1, max: 3 }),
      needManual: fc.boolean(),
      catchUpMode: fc.constantFrom('NONE', 'COMPACT', 'FULL'),
      catchUpLimit: fc.integer({ min: 1, max: 5 }),
    }),
  )
  .map(([some, others]) => ({ ...some, ...others }));

const always = () => true;
const which = fc.nat(99);
const nth = <Item>(items: readonly Item[], n: number): Item => items[n % items.length];
const shown = (some: object) => JSON.stringify(some).replaceAll('"', '');

/** A second after the last, or several at once, or after nobody has been scheduling for a while. */
const tick = fc
  .oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 3, arbitrary: fc.integer({ min: 2, max: 9 }) })
  .map(
    (seconds) =>
      new Step(`tick(${seconds} s later)`, always, async (world, product) => {
        world.advance(seconds);
        for (const task of world.tasks) task.tick(world.now);
        await product.tick(world.now);
      }),
  );

const trigger = which.map(
  (n) =>
    new Step(
      `trigger(task ${n})`,
      (world) => world.live.length > 0,
      async (world, product) => {
        const task = nth(world.live, n);
        task.demand(await product.trigger(task.id, world.now), world.now);
      },
    ),
);

const claim = which.map(
  (n) =>
    new Step(
      `claim(run ${n})`,
      (world) => world.claimable.length > 0,
      async (world, product) => {
        const { task, run } = nth(world.claimable, n);
        const execution = await product.claim(run.id, world.now);
        task.claim(run);
        expect(execution?.attempt).toBe(run.attempt);
        world.started.push({ task, run, execution: execution! });
      },
    ),
);

/** Two workers hear of the same run, or of one that is over. */
const claimInVain = which.map(
  (n) =>
    new Step(
      `claim again(run ${n})`,
      (world) => world.runs.length > world.claimable.length,
      async (world, product) => {
        const others = world.runs.filter(({ run }) => !world.claimable.some((one) => one.run === run));
        expect(await product.claim(nth(others, n).run.id, world.now)).toBeNull();
      },
    ),
);

const end = fc.tuple(which, fc.constantFrom<Ending>('success', 'failure', 'refusal', 'timeout', 'interruption')).map(
  ([n, ending]) =>
    new Step(
      `${ending}(execution ${n})`,
      (world) => world.running.length > 0,
      async (world, product) => {
        const { task, run, execution } = nth(world.running, n);
        const { settled, released } = await product.settle(execution, ending, task.definition, world.now);
        expect(settled).toBe(true);
        agree(released, task.end(run, ending));
        world.releasedBy('settle', released);
      },
    ),
);

/** I3: a result of an execution that was replaced changes nothing, which `verify` sees. */
const staleResult = fc.tuple(which, fc.constantFrom<Ending>('success', 'failure')).map(
  ([n, ending]) =>
    new Step(
      `stale ${ending}(execution ${n})`,
      (world) => world.stale.length > 0,
      async (world, product) => {
        const { task, execution } = nth(world.stale, n);
        const { settled, released } = await product.settle(execution, ending, task.definition, world.now);
        expect({ settled, released }).toEqual({ settled: false, released: [] });
      },
    ),
);

const cancel = which.map(
  (n) =>
    new Step(
      `cancel(run ${n})`,
      (world) => world.runs.length > 0,
      async (world, product) => {
        const unfinished = world.runs.filter(({ task, run }) => task.unfinished.includes(run));
        const { task, run } = nth(n % 5 === 0 || unfinished.length === 0 ? world.runs : unfinished, n);
        const released = await product.cancel(run.id, world.now);
        agree(released, task.cancel(run));
        world.releasedBy('cancel', released);
      },
    ),
);

const retry = which.map(
  (n) =>
    new Step(
      `retry(run ${n})`,
      (world) => world.pending.length > 0,
      async (world, product) => {
        const { task, run } = nth(world.pending, n);
        expect(await product.retry(run.id, world.now)).toBe(task.retry(run));
      },
    ),
);

/** From here on nobody answers for the execution; a frozen worker that is back before rescue comes may still end it. */
const crash = which.map(
  (n) =>
    new Step(
      `crash(execution ${n})`,
      (world) => world.running.some(({ run }) => run.alive),
      (world) => {
        nth(
          world.running.filter(({ run }) => run.alive),
          n,
        ).run.alive = false;
        return Promise.resolve();
      },
    ),
);

/** Long enough for every lease that nobody prolongs, for every callback's deadline, and for the alarms that lead to them. */
const RESCUE_SECONDS = 40;

const rescue = fc.constant(
  new Step('rescue()', always, async (world, product) => {
    world.advance(RESCUE_SECONDS);
    const lost = world.running.filter(({ run }) => !run.alive);
    const alive = world.running.filter(({ run }) => run.alive).map(({ execution }) => execution);
    const expired = world.waiting;
    for (const { task, run } of lost) run.status = task.statusAfter(run, 'interruption');
    for (const { task, run } of expired) run.status = task.statusAfter(run, 'timeout');
    for (const task of world.tasks) world.releasedBy('rescue', task.release());
    await product.rescue(alive, world.now);
  }),
);

const change = fc.tuple(which, policies).map(
  ([n, some]) =>
    new Step(
      `change(task ${n} ${shown(some)})`,
      (world) => world.live.length > 0,
      async (world, product) => {
        const task = nth(world.live, n);
        const released = await product.change(task.id, some, world.now);
        agree(released, task.change(some));
        world.releasedBy('change', released);
      },
    ),
);

const setEnabled = fc.tuple(which, fc.boolean()).map(
  ([n, enabled]) =>
    new Step(
      `${enabled ? 'enable' : 'disable'}(task ${n})`,
      (world) => world.live.length > 0,
      async (world, product) => {
        const task = nth(world.live, n);
        task.setEnabled(enabled, world.now);
        await product.setEnabled(task.id, enabled, world.now);
      },
    ),
);

const remove = which.map(
  (n) =>
    new Step(
      `delete(task ${n})`,
      (world) => world.live.length > 0 && n % 3 === 0,
      async (world, product) => {
        const task = nth(world.live, n);
        task.delete();
        await product.delete(task.id, world.now);
      },
    ),
);

const accept = which.map(
  (n) =>
    new Step(
      `accept(execution ${n})`,
      (world) => world.running.length > 0,
      async (world, product) => {
        const { task, run, execution } = nth(world.running, n);
        expect(await product.accept(execution, world.now)).toBe(true);
        task.accept(run);
      },
    ),
);

const callbackEndings = fc.constantFrom<CallbackEnding>('success', 'failure', 'refusal');

/** With or without the acceptance having been heard of before. */
const callBack = fc.tuple(which, callbackEndings).map(
  ([n, ending]) =>
    new Step(
      `call back ${ending}(execution ${n})`,
      (world) => world.running.length + world.waiting.length > 0,
      async (world, product) => {
        const { task, run, execution } = nth([...world.waiting, ...world.running], n);
        const { settled, released } = await product.callBack(execution, ending, world.now);
        expect(settled).toBe(true);
        agree(released, task.end(run, ending));
        world.releasedBy('callback', released);
      },
    ),
);

/** The same again, another outcome, too late, or beside a newer attempt: none of it changes the run. */
const callBackInVain = fc.tuple(which, callbackEndings).map(
  ([n, ending]) =>
    new Step(
      `call back in vain ${ending}(execution ${n})`,
      (world) => world.over.length > 0,
      async (world, product) => {
        const { execution } = nth(world.over, n);
        const { settled, released } = await product.callBack(execution, ending, world.now);
        expect({ settled, released }).toEqual({ settled: false, released: [] });
      },
    ),
);

/** Nor does an acceptance of what is over. */
const acceptInVain = which.map(
  (n) =>
    new Step(
      `accept in vain(execution ${n})`,
      (world) => world.stale.length > 0,
      async (world, product) => expect(await product.accept(nth(world.stale, n).execution, world.now)).toBe(false),
    ),
);

const often = [tick, tick, tick, claim, claim, claim, end, end, end];
const sometimes = [
  ...[trigger, trigger, trigger, cancel, cancel, retry, retry, crash, crash, crash, rescue, rescue, change, change],
  ...[claimInVain, staleResult],
  ...[accept, accept, accept, callBack, callBack, callBackInVain, acceptInVain],
];
const seldom = [setEnabled, remove];

/** What every sequence begins with: without runs most of what could happen cannot. */
export const opening = fc.tuple(tick, claim, trigger, trigger, claim).map((steps) => steps as Step[]);

export const sequences = (maxCommands: number) =>
  fc.commands([...often, ...often, ...sometimes, ...seldom], { maxCommands, size: 'max' });
