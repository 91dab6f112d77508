import { describe, expect, it } from '@jest/globals';
import { readArguments } from './arguments.js';

describe('keys:create', () => {
  it('makes an ADMIN of the default tenant unless it is told otherwise', () => {
    expect(readArguments([])).toEqual({
      kind: 'create',
      name: 'admin',
      role: 'ADMIN',
      tenantId: 'default',
      lifeMs: null,
    });
  });

  it('takes a name, a role, a tenant and a life, in either form', () => {
    const given = ['--name', 'night shift', '--role=viewer', '--tenant', 'acme', '--expires=90d'];
    const expected = { name: 'night shift', role: 'VIEWER', tenantId: 'acme', lifeMs: 90 * 86_400_000 };
    expect(readArguments(given)).toEqual({ kind: 'create', ...expected });
  });

  it('makes a key of the whole deployment', () => {
    expect(readArguments(['--root'])).toMatchObject({ name: 'root', role: 'ADMIN', tenantId: '*' });
  });

  it.each([
    [['--role', 'KING'], '--role must be one of VIEWER, OPERATOR, EDITOR, ADMIN'],
    [['--tenant', '*'], '--tenant must be'],
    [['--tenant', 'a', '--root'], 'give one of them'],
    [['--expires', 'soon'], '--expires must be a time from now'],
    [['--expires', '0d'], '--expires must be a time from now'],
    [['--expires', '99999999d'], '--expires must be a time from now'],
    [['--name', ' '], '--name must have'],
    [['--name'], '--name needs a value'],
    [['--force'], 'unknown argument --force'],
  ])('refuses %j', (given, reason) => {
    expect(readArguments(given)).toEqual({ kind: 'wrong', reason: expect.stringContaining(reason) });
  });

  it('explains itself', () => expect(readArguments(['--role', 'x', '--help'])).toEqual({ kind: 'help' }));
});
