import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsOptional, ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import { unstorable } from '#domain';
import { ANY_JSON } from './any-json.js';
import * as checks from './checks.js';
import type { Check, TextLimits } from './checks.js';
import { Converted, requestObject } from './request-object.js';

export type Doc = ApiPropertyOptions & {
  required?: boolean;
  /** May be left out, but not cleared. */
  notNull?: boolean;
};

/** A field of a request: one check, one message, one entry in the OpenAPI document. Null means "not given". */
function field(check: Check, schema: ApiPropertyOptions, given: Doc): PropertyDecorator {
  const { required = false, notNull = required, ...doc } = given;
  const nullable = notNull ? {} : { nullable: true };
  return applyDecorators(
    ...(required ? [] : [notNull ? IfGiven() : IsOptional()]),
    checked(check),
    ApiProperty({ ...schema, ...nullable, ...doc, required } as ApiPropertyOptions),
  );
}

const IfGiven = () => ValidateIf((_, value) => value !== undefined);

function checked(check: Check): PropertyDecorator {
  return ValidateBy({
    name: 'field',
    validator: {
      validate: (value) => check(value) === null,
      defaultMessage: (args?: ValidationArguments) => check(args?.value) ?? 'is not valid',
    },
  });
}

export const TextField = (limits: TextLimits, doc: Doc = {}) =>
  field(checks.text(limits), { type: String, minLength: limits.min, maxLength: limits.max }, doc);

export const WordField = (words: readonly string[], doc: Doc = {}) =>
  field(checks.word(words), { type: String, enum: [...words] }, doc);

export const WholeField = (minimum: number, maximum: number, doc: Doc = {}) =>
  field(checks.whole(minimum, maximum), { type: 'integer', minimum, maximum }, doc);

export const FractionField = (minimum: number, maximum: number, doc: Doc = {}) =>
  field(checks.fraction(minimum, maximum), { type: Number, minimum, maximum }, doc);

export const FlagField = (doc: Doc = {}) => field(checks.flag, { type: Boolean }, doc);

export const InstantField = (doc: Doc = {}) => field(checks.instant, { type: String, format: 'date-time' }, doc);

/** Any JSON. */
export const AnyField = (doc: Doc = {}) => field(() => null, ANY_JSON, doc);

export const ListField = (limits: { min?: number; max: number }, item: Check, schema: object, doc: Doc = {}) =>
  applyDecorators(
    IsOptional(),
    checked(checks.list(limits)),
    EachItem(item),
    ApiProperty({ type: 'array', items: schema, maxItems: limits.max, required: false, ...doc } as ApiPropertyOptions),
  );

/** A list whose items are looked at later, one by one. */
export const ItemsField = (limits: { min?: number; max: number }) => checked(checks.list(limits));

function EachItem(item: Check): PropertyDecorator {
  const firstBad = (value: unknown): number =>
    Array.isArray(value) ? value.findIndex((entry) => item(entry) !== null) : -1;
  return ValidateBy({
    name: 'item',
    validator: {
      validate: (value) => firstBad(value) < 0,
      // The place goes in front of the message; the pipe makes it part of the field's name.
      defaultMessage: (args?: ValidationArguments) => {
        const values = (args?.value ?? []) as unknown[];
        return `[${firstBad(values)}] ${item(values[firstBad(values)])}`;
      },
    },
  });
}

/** An object of its own fields, or, where the contract allows it, a string that holds one. */
export function ObjectField(type: () => new () => object, doc: Doc & { orText?: boolean } = {}): PropertyDecorator {
  const { orText = false, ...rest } = doc;
  return applyDecorators(
    IsOptional(),
    Converted((value) => asInstance(type(), orText ? parsed(value) : value)),
    checked((value) =>
      checks.isPlainObject(value) ? null : `must be an object${orText ? ', or a string holding one' : ''}`,
    ),
    ValidateNested(),
    // By this name alone Nest knows it for a function that is to be called.
    ApiProperty({ type: () => type(), nullable: true, required: false, ...rest } as ApiPropertyOptions),
  );
}

/** Headers by name, as an object or as a string that holds one. */
export const HeadersField = (doc: Doc = {}) =>
  applyDecorators(Converted(parsed), field(checks.headers, { oneOf: [HEADERS, { type: 'string' }] }, doc));

const MARKED = {
  type: 'object',
  required: ['secret'],
  properties: { secret: { oneOf: [{ type: 'string' }, { type: 'boolean', enum: [true] }] } },
};
const HEADERS = { type: 'object', additionalProperties: { oneOf: [{ type: 'string' }, MARKED] } };

function asInstance(type: new () => object, value: unknown): unknown {
  return checks.isPlainObject(value) ? requestObject(type, value) : value;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const held: unknown = JSON.parse(value);
    return unstorable(held) === null ? held : value;
  } catch {
    return value;
  }
}
