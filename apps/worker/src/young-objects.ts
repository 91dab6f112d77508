import v8 from 'node:v8';

/**
 * Has V8 make every object among the young ones. It would soon make some kinds among the old, because many of them outlive a collection:
 * those of a call, while its result waits to be written. What is old and over keeps alive whatever it holds until the next full
 * collection: every call of the last seconds. To be called before anything is compiled. docs/decisions/0022-young-objects.md
 */
export function keepNewObjectsYoung(): void {
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
}
