import type { PipeTransform } from '@nestjs/common';
import { NotFound } from '#domain';

const MAX_ID = 2n ** 63n - 1n;

/** What is not an id at all is the id of nothing. */
function numberedId(what: 'task' | 'backfill' | 'API key', value: string): bigint {
  const id = /^[1-9]\d{0,18}$/.test(value) ? BigInt(value) : null;
  if (id === null || id > MAX_ID) throw new NotFound(what, value.slice(0, 64));
  return id;
}

export class TaskIdPipe implements PipeTransform<string, bigint> {
  transform(value: string): bigint {
    return numberedId('task', value);
  }
}

export class BackfillIdPipe implements PipeTransform<string, bigint> {
  transform(value: string): bigint {
    return numberedId('backfill', value);
  }
}

export class KeyIdPipe implements PipeTransform<string, bigint> {
  transform(value: string): bigint {
    return numberedId('API key', value);
  }
}

export class RunIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!/^[0-9A-Za-z_-]{1,64}$/.test(value)) throw new NotFound('run', value.slice(0, 64));
    return value;
  }
}

export class DeliveryIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!/^[0-9A-Za-z_-]{1,40}$/.test(value)) throw new NotFound('delivery', value.slice(0, 64));
    return value;
  }
}

export class NodeIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    // A host may be named in any way; what the database could not compare is nobody's id.
    if (!/^[\x21-\x7e]{1,64}$/.test(value)) throw new NotFound('node', value.slice(0, 64));
    return value;
  }
}
