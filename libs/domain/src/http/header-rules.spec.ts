import { describe, expect, it } from '@jest/globals';
import { checkHeader } from './index.js';

describe('checkHeader', () => {
  it.each([
    ['Authorization', 'Bearer x'],
    ['X-Custom_1', 'a\tb é'],
    ['content-type', 'application/json'],
    ['X-Empty', ''],
    ['Tea', 'no TE'],
  ])('accepts %s: %j', (name, value) => {
    expect(checkHeader(name, value)).toBeNull();
  });

  it.each(['', 'a b', 'a:b', 'a\r\nb', 'ä', 'a\0', '{{run_id}}', '(x)'])('refuses the name %j', (name) => {
    expect(checkHeader(name, 'x')).toContain('not a valid header name');
  });

  it.each([
    'Host',
    'Content-Length',
    'TRANSFER-ENCODING',
    'connection',
    'Keep-Alive',
    'Upgrade',
    'TE',
    'Trailer',
    'Proxy-Authorization',
    'proxy-connection',
    'Expect',
    'X-Punctual-Run-Id',
    'x-punctual-anything',
  ])('refuses %s, which is not the task’s to set', (name) => {
    expect(checkHeader(name, 'x')).toContain(`"${name}" is set by the platform`);
  });

  it.each(['a\rb', 'a\nb', 'a\0b', 'a\u007fb', 'a\r\nHost: x'])('refuses the value %j', (value) => {
    expect(checkHeader('X-A', value)).toContain('control character');
  });

  it('refuses values that HTTP cannot spell or that are too long', () => {
    expect(checkHeader('X-A', '日')).toContain('Latin-1');
    expect(checkHeader('X-A', 'x'.repeat(8193))).toContain('longer than 8192');
    expect(checkHeader('x'.repeat(129), 'x')).toContain('longer than 128');
  });
});
