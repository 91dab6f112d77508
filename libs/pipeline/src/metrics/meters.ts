import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type Count = (by: number) => void;
export type Observe = (value: number) => void;

/** One value of a gauge with labels. */
export interface Reading<Label extends string> {
  labels: Record<Label, string>;
  value: number;
}

/** Makes prom-client's metrics. What the methods return has its labels resolved, so that counting makes no garbage. */
export class Meters {
  constructor(private readonly registry: Registry) {}

  counter(name: string, help: string): Count {
    const counter = new Counter(this.described(name, help)).labels();
    return (by) => counter.inc(by);
  }

  /** One counter for each value of one label, all of them shown from the start: a rate needs a zero to begin with. */
  counters<Value extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly Value[],
  ): Record<Value, Count> {
    const family = new Counter({ ...this.described(name, help), labelNames: [label] });
    const count = (value: Value): Count => {
      const counter = family.labels(value);
      counter.inc(0);
      return (by) => counter.inc(by);
    };
    return forEach(values, count);
  }

  /** Counts by the values of several labels. What was never counted is not shown. */
  counterBy<Label extends string>(name: string, help: string, labels: readonly Label[]) {
    const family = new Counter({ ...this.described(name, help), labelNames: labels });
    const known = new Map<string, Counter.Internal>();
    return (values: readonly string[], by: number): void => {
      const key = values.join('\n');
      const counter = known.get(key) ?? family.labels(...values);
      known.set(key, counter);
      counter.inc(by);
    };
  }

  /** The same for two labels, of which the second goes with the first. */
  pairedCounters<Kind extends string>(
    name: string,
    help: string,
    labels: [string, string],
    values: Record<Kind, readonly string[]>,
  ): (kind: Kind, value: string, by: number) => void {
    const family = new Counter({ ...this.described(name, help), labelNames: labels });
    for (const kind of Object.keys(values) as Kind[])
      for (const value of values[kind]) family.labels(kind, value).inc(0);
    return (kind, value, by) => family.labels(kind, value).inc(by);
  }

  histogram(name: string, help: string, buckets: number[]): Observe {
    const histogram = new Histogram({ ...this.described(name, help), buckets }).labels();
    return (value) => histogram.observe(value);
  }

  /** One histogram for each value of one label. */
  histograms<Value extends string>(
    { name, help, buckets }: { name: string; help: string; buckets: number[] },
    label: string,
    values: readonly Value[],
  ): Record<Value, Observe> {
    const family = new Histogram({ ...this.described(name, help), buckets, labelNames: [label] });
    const observe = (value: Value): Observe => {
      const histogram = family.labels(value);
      family.zero({ [label]: value });
      return (seconds) => histogram.observe(seconds);
    };
    return forEach(values, observe);
  }

  /** Read when somebody looks; left out while there is nothing to tell. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    new Gauge({
      ...this.described(name, help),
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  /** Several values of one kind, read together; left out while there is nothing to tell. */
  gauges<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => Promise<readonly Reading<Label>[] | undefined>,
  ): void {
    new Gauge({
      ...this.described(name, help),
      labelNames: labels,
      async collect() {
        const readings = (await read()) ?? [];
        this.reset();
        for (const { labels: values, value } of readings) this.set(values, value);
      },
    });
  }

  private described(name: string, help: string) {
    return { name: `punctual_${name}`, help, registers: [this.registry] };
  }
}

function forEach<Value extends string, Meter>(values: readonly Value[], make: (value: Value) => Meter) {
  return Object.fromEntries(values.map((value) => [value, make(value)])) as Record<Value, Meter>;
}
