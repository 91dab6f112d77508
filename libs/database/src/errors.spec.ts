import { describe, expect, it } from '@jest/globals';
import { faultOf } from './errors.js';

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
