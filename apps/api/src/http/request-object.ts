import 'reflect-metadata';

const CONVERT = Symbol('convert');

type Convert = (value: unknown) => unknown;

/** What a field's value becomes before it is checked. */
export const Converted =
  (convert: Convert): PropertyDecorator =>
  (target, property) =>
    Reflect.defineMetadata(CONVERT, convert, target, property);

/**
 * What came in, as the request's class, field by field and no deeper: class-transformer walks into every value and trips
 * over a payload that has a key named `constructor`.
 */
export function requestObject<Type extends object>(type: new () => Type, given: Record<string, unknown>): Type {
  const request = new type();
  for (const [key, value] of Object.entries(given)) {
    const convert = Reflect.getMetadata(CONVERT, request, key) as Convert | undefined;
    Reflect.set(request, ownName(key), convert ? convert(value) : value);
  }
  return request;
}

/** A key that every object has would hide the class from the checks; quoted, it is a field nobody knows. */
const ownName = (key: string): string => (key in Object.prototype ? JSON.stringify(key) : key);

/** A field's name as it came in. */
export const givenName = (name: string): string => (name.startsWith('"') ? unquoted(name) : name);

function unquoted(name: string): string {
  const inherited = Object.getOwnPropertyNames(Object.prototype).find((one) => JSON.stringify(one) === name);
  return inherited ?? name;
}
