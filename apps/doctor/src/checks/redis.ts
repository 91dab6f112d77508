import type { RedisFacts } from '#queue';
import { advice, type Finding, ok, wrong } from '../finding.js';
import { checkVersion } from './versions.js';

const NEARLY_FULL = 0.8;

export function checkRedis(facts: RedisFacts): Finding[] {
  return [checkVersion('Redis', facts.version), policyOf(facts), persistenceOf(facts), memoryOf(facts)];
}

function policyOf({ policy }: RedisFacts): Finding {
  if (policy === 'noeviction') return ok('Redis', 'maxmemory-policy noeviction');
  const todo =
    '`CONFIG SET maxmemory-policy noeviction`, and the same in redis.conf; processes refuse to start without';
  return wrong(
    'Redis',
    `maxmemory-policy ${policy || 'unknown'}: queued work is thrown out when memory is short`,
    todo,
  );
}

function persistenceOf({ appendOnly, snapshots }: RedisFacts): Finding {
  if (appendOnly) return ok('Redis', 'writes an append-only file');
  const todo = '`appendonly yes` in redis.conf. Nothing is lost without it, but after a restart runs wait for rescue';
  if (snapshots === false) return advice('Redis', 'keeps nothing: a restart empties the queue', todo);
  return advice('Redis', 'writes no append-only file: a restart loses the last minutes of the queue', todo);
}

function memoryOf({ usedBytes, maxBytes }: RedisFacts): Finding {
  const used = `${Math.ceil(usedBytes / 1_048_576)} MB in use`;
  if (maxBytes === 0) return ok('Redis', `${used}, no limit`);
  const says = `${used} of ${Math.floor(maxBytes / 1_048_576)}`;
  return usedBytes < maxBytes * NEARLY_FULL
    ? ok('Redis', says)
    : wrong('Redis', says, 'raise `maxmemory`: when it is full it takes no more work');
}
