import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterTaking, blockToTake, freshAllowance, remainingOf, useAllowance } from './allowance.js';
import { changedFields } from './changed-fields.js';
import { addressGroup } from './client-address.js';
import { keyState } from './key-state.js';
import { maskSecrets } from './mask-secrets.js';
import { hasRole, type Role, ROLES } from './roles.js';
import { isTenantName } from './tenants.js';

describe('roles', () => {
  it('have the rights of those before them, and no others', () => {
    const rights = ROLES.map((role) => ROLES.filter((least) => hasRole(role, least)).join(' '));
    expect(rights).toEqual(['VIEWER', 'VIEWER OPERATOR', 'VIEWER OPERATOR EDITOR', 'VIEWER OPERATOR EDITOR ADMIN']);
    expect(hasRole('NOBODY' as Role, 'VIEWER')).toBe(false);
  });
});

describe('the names of tenants', () => {
  it.each(['default', 'a', '7', 'team-billing_2', 'x'.repeat(64)])('may be %s', (name) =>
    expect(isTenantName(name)).toBe(true),
  );
  it.each(['', '*', 'Default', '-a', 'a b', 'a/b', 'ä', 'x'.repeat(65)])('may not be %s', (name) =>
    expect(isTenantName(name)).toBe(false),
  );
});

describe('a key', () => {
  const at = (ms: number | null) => (ms === null ? null : new Date(ms));
  it.each([
    ['active', null, null],
    ['active', null, 1001],
    ['expired', null, 1000],
    ['revoked', 5, null],
    ['revoked', 5, 1],
  ])('is %s when it was revoked at %s and expires at %s', (state, revoked, expires) => {
    expect(keyState({ revokedAt: at(revoked), expiresAt: at(expires) }, 1000)).toBe(state);
  });
});

describe('masking', () => {
  it('hides what is named like a secret, however deep, and nothing else', () => {
    const given = {
      name: 'x',
      headers_json: { Authorization: 'Bearer abc', 'X-Api-Key': 'k', accept: 'text/plain' },
      notify: { security: { type: 'aksk', ak: 'id', sk: 'hidden', sealed: [{ key: 'v1.k.1' }] } },
      list: [{ password: 'p' }, 7, null],
    };
    expect(maskSecrets(given)).toEqual({
      name: 'x',
      headers_json: { Authorization: '[redacted]', 'X-Api-Key': '[redacted]', accept: 'text/plain' },
      notify: { security: { type: 'aksk', ak: 'id', sk: '[redacted]', sealed: '[redacted]' } },
      list: [{ password: '[redacted]' }, 7, null],
    });
  });

  it.each([
    ['https://kim:hunter2@example.com/x', 'https://[redacted]@example.com/x'],
    ['https://example.com/?token=hunter2&a=1', 'https://example.com/?token=[redacted]&a=1'],
    ['{"password": "hunter2", "a": "{{run_id}}"}', '{"password": "[redacted]", "a": "{{run_id}}"}'],
    ['curl -H "Authorization: Bearer hunter2" x', 'curl -H "Authorization: [redacted]" x'],
    ['{"t": "{{callback_token}}"}', '{"t": "{{callback_token}}"}'],
    ['every day at 10:30', 'every day at 10:30'],
    ['env: API_TOKEN=hunter2', 'env: API_TOKEN=[redacted]'],
  ])('of the text %s leaves %s', (text, expected) => {
    expect(maskSecrets({ text })).toEqual({ text: expected });
  });

  it('leaves what is not there as it is', () => {
    expect(maskSecrets({ token: null })).toEqual({ token: null });
    expect(maskSecrets(null)).toBeNull();
  });
});

describe('what changed', () => {
  it('is what differs, and all of it where one side is not there', () => {
    expect(changedFields({ a: 1, b: [1], c: null }, { a: 1, b: [2], d: 3 })).toEqual({
      before: { b: [1], c: null, d: null },
      after: { b: [2], c: null, d: 3 },
    });
    expect(changedFields(null, { a: 1 })).toEqual({ before: null, after: { a: 1 } });
  });
});

describe('one caller', () => {
  it.each([
    ['10.0.0.7', '10.0.0.7'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('at %s is %s', (address, group) => expect(addressGroup(address)).toBe(group));
});

describe('a limit that processes share', () => {
  /** Processes that take from one account, in any order. */
  function used(limit: number, orders: readonly (readonly [number, number])[]) {
    let total = 0;
    const processes = [0, 1, 2].map(() => freshAllowance(limit));
    let spent = 0;
    let trips = 0;
    for (const [place, cost] of orders) {
      for (;;) {
        const after = useAllowance(processes[place], cost);
        if (after !== null) {
          processes[place] = after;
          spent += cost;
          break;
        }
        const block = blockToTake(processes[place], limit, cost);
        if (block === 0) break;
        total += block;
        trips += 1;
        processes[place] = afterTaking(processes[place], limit, block, total);
      }
    }
    return { spent, trips, processes };
  }

  it('is never exceeded, whoever takes how much', () => {
    const orders = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 12 })), {
      maxLength: 200,
    });
    const property = fc.property(fc.integer({ min: 1, max: 300 }), orders, (limit, given) => {
      const { spent, processes } = used(limit, given);
      expect(spent).toBeLessThanOrEqual(limit);
      for (const one of processes) expect(remainingOf(one)).toBeGreaterThanOrEqual(0);
    });
    fc.assert(property);
  });

  it('is all there for a process that is alone, and costs it few questions', () => {
    const alone = Array.from({ length: 1100 }, () => [0, 1] as const);
    const { spent, trips } = used(1000, alone);
    expect(spent).toBe(1000);
    expect(trips).toBeLessThan(30);
  });

  it('of one is one', () => {
    expect(
      used(1, [
        [0, 1],
        [1, 1],
        [0, 1],
      ]).spent,
    ).toBe(1);
  });

  it('gives all of what something costs, or nothing', () => {
    expect(used(10, [[0, 11]]).spent).toBe(0);
    expect(
      used(10, [
        [0, 7],
        [1, 7],
        [1, 1],
      ]).spent,
    ).toBeLessThanOrEqual(10);
  });
});
