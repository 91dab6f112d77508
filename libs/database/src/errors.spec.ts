import { describe, expect, it } from '@jest/globals';
import { Unread } from './driver.js';
import { faultOf, isUnanswered } from './errors.js';

describe('what a failed statement means', () => {
  it.each([
    ['a lost connection', { errno: 45009 }, 'away'],
    ['a connection we have given up on', { errno: 45004, sqlState: '08S01' }, 'away'],
    ['its thread, which is gone by the time it is to be ended', { errno: 1094, sqlState: 'HY000' }, 'away'],
    ['or is somebody else’s, on another server', { errno: 1095, sqlState: 'HY000' }, 'away'],
    ['a deadlock', { errno: 1213, sqlState: '40001' }, 'retry'],
    ['the same from PostgreSQL, wrapped', { cause: { code: '40P01' } }, 'retry'],
    ['a value that is too long', { code: '22001' }, 'data'],
    ['a row that is there already', { code: '23505' }, 'duplicate'],
    ['a statement that is wrong', { errno: 1064, sqlState: '42000' }, 'other'],
  ])('%s', (_, error, fault) => expect(faultOf(error)).toBe(fault));
});

describe('whether a statement may have been carried out without an answer', () => {
  const failed = (code: string | number, message = '') => Object.assign(new Error(message), { code, errno: code });

  it.each<[string, Error, boolean]>([
    ['a connection that was reset', failed('ECONNRESET'), true],
    ['a socket that was closed, as MariaDB’s driver says it', failed(45009), true],
    ['a connection that we gave up', failed(45004), true],
    ['a server that has gone silent', new Error('Query read timeout'), true],
    ['a server that ended the session', failed('57P01'), true],
    ['what was done and could not be read', new Unread(failed('ECONNREFUSED')), true],
    ['a server that is not there', failed('ECONNREFUSED'), false],
    ['no connection in time', failed(45028), false],
    ['a full disk', failed('53100'), false],
    ['a statement that took too long', failed('57014'), false],
    ['a deadlock', failed('40P01'), false],
    ['a lock that was waited for in vain', failed(1205), false],
  ])('%s', (_title, error, unanswered) => {
    expect(isUnanswered(error)).toBe(unanswered);
  });
});
