import { type CanActivate, type ExecutionContext, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidInput } from '#domain';
import { isPlainObject } from './checks.js';

class EmptyBody implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body === undefined || body === null) return true;
    if (!isPlainObject(body)) throw new InvalidInput([{ field: 'body', message: 'must be empty, or {}' }]);
    const fields = Object.keys(body).map((field) => ({ field: field.slice(0, 64), message: 'is not a known field' }));
    if (fields.length > 0) throw new InvalidInput(fields);
    return true;
  }
}

/** There is nothing to say in its body: whoever says something hopes for what does not happen. */
export const TakesNoBody = () => UseGuards(EmptyBody);
