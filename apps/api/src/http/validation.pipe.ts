import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validate, type ValidationError } from 'class-validator';
import { type FieldProblem, InvalidInput, unstorable } from '#domain';
import { isPlainObject } from './checks.js';
import { givenName, requestObject } from './request-object.js';

/** Turns what came in into the request's class, or refuses it with every problem there is. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  async transform(value: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const given = value ?? (type === 'query' || mayBeEmpty(metatype) ? {} : undefined);
    return checkedRequest(metatype as new () => object, given);
  }
}

/** A value as a request of that class. Throws InvalidInput. */
export async function checkedRequest<Type extends object>(type: new () => Type, given: unknown): Promise<Type> {
  if (!isPlainObject(given)) throw new InvalidInput([{ field: 'body', message: 'must be a JSON object' }]);
  const bad = leavesItemsOpen(type) ? null : unstorable(given);
  if (bad !== null) throw new InvalidInput([bad]);
  const request = requestObject(type, given);
  const errors = await validate(request, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true });
  if (errors.length > 0) throw new InvalidInput(errors.flatMap((error) => problemsOf(error, '')));
  return request;
}

/** A request whose every field may be left out may be left out itself. */
const mayBeEmpty = (metatype: object): boolean => (metatype as { mayBeEmpty?: boolean }).mayBeEmpty === true;

/** A request of many, each of which is checked on its own: one that is wrong does not stop the others. */
const leavesItemsOpen = (type: object): boolean => (type as { leavesItemsOpen?: boolean }).leavesItemsOpen === true;

/** `notify.success.url`, `tags[2]`: a field that is wrong itself is not asked about what is inside it. */
function problemsOf({ property, constraints, children }: ValidationError, inside: string): FieldProblem[] {
  const field = `${inside}${givenName(property).slice(0, 64)}`;
  if (constraints === undefined) return (children ?? []).flatMap((child) => problemsOf(child, `${field}.`));
  if (constraints.whitelistValidation !== undefined) return [{ field, message: refusal(property) }];
  const message = constraints.field ?? constraints.item ?? Object.values(constraints)[0];
  const [, place, rest] = /^(\[\d+\]) (.*)$/s.exec(message) ?? ['', '', message];
  return [{ field: `${field}${place}`, message: rest }];
}

const READ_ONLY = new Set(
  'id version next_fire_at active_runs queued_runs last_run created_at updated_at cron_source type'.split(' '),
);

function refusal(property: string): string {
  return READ_ONLY.has(property) ? 'cannot be set' : 'is not a known field';
}
