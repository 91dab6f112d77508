import { FIRST_TASKS } from './first-tasks.js';
import { type OpenApi, resolve, type Schema } from './open-api.js';
import type { Random } from './random.js';

const DEEPEST = 6;

/** Values that a schema allows, or nearly: the checks that a schema cannot express are met by chance. */
export class Values {
  constructor(
    private readonly document: OpenApi,
    private readonly random: Random,
    /** Ids that answers have named. */
    private readonly ids: readonly string[],
  ) {}

  of(given: Schema, name = '', depth = 0): unknown {
    const schema = resolve(this.document, given);
    const { random } = this;
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return this.of(random.one(choices), name, depth);
    if (schema.nullable && random.chance(0.1)) return null;
    if (/(^|_)id$/.test(name) && this.ids.length > 0 && random.chance(0.7)) return random.one(this.ids);
    if (schema.example !== undefined && random.chance(0.5)) return schema.example;
    if (schema.enum) return random.one(schema.enum);
    return this.typed(schema, name, depth);
  }

  /** An object with what it must have and some of what it may have. */
  private object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): unknown {
    const names = Object.keys(properties).filter(
      (name) => required.includes(name) || this.random.chance(depth === 0 ? 0.08 : 0.25),
    );
    const made = Object.fromEntries(names.map((name) => [name, this.of(properties[name], name, depth + 1)]));
    if (typeof additionalProperties !== 'object') return made;
    return { ...made, [`X-${this.random.below(99)}`]: this.of(additionalProperties, '', depth + 1) };
  }

  private typed(schema: Schema, name: string, depth: number): unknown {
    const { random } = this;
    if (depth > DEEPEST) return null;
    switch (schema.type) {
      case 'object':
        return this.object(schema, depth);
      case 'array':
        return Array.from({ length: random.below(4) }, () => this.of(schema.items ?? {}, name, depth + 1));
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
        return this.whole(schema);
      case 'number':
        return (schema.minimum ?? 0) + random.next() * ((schema.maximum ?? 10) - (schema.minimum ?? 0));
      case 'string':
        return this.text(schema, name);
      default:
        return random.one<unknown>([{ a: { b: [1, 'x', null] } }, 'text', 7, [], null, true]);
    }
  }

  private whole({ minimum = 0, maximum = 100 }: Schema): number {
    const { random } = this;
    const span = Math.min(maximum - minimum, 10_000);
    return random.one([minimum, maximum, minimum + random.below(span + 1)]);
  }

  private text({ format, minLength = 0, maxLength = 40 }: Schema, name: string): string {
    const { random } = this;
    if (format === 'date-time') return new Date(Date.UTC(2026, random.below(12), random.below(28))).toISOString();
    if (name.includes('url')) return random.one(['http://127.0.0.1:9/x?a={{run_id}}', 'https://example.com/']);
    if (name.includes('cron'))
      return random.one(['* * * * *', '*/5 * * * * *', '@daily', 'CRON_TZ=Asia/Tokyo 0 9 * * 1']);
    if (name === 'type') return random.one(FIRST_TASKS);
    if (name === 'timezone') return random.one(['UTC', 'Europe/Berlin']);
    const length = Math.max(minLength, 1 + random.below(Math.max(1, Math.min(maxLength, 30))));
    return Array.from({ length }, () => random.one([...'abcXYZ019-_'])).join('');
  }
}
