import { describe, expect, it } from '@jest/globals';
import { reachableHost } from '#config';
import { allowDemoTarget, baseUrl } from './addresses.js';
import { welcome } from './welcome.js';

describe('the welcome', () => {
  const text = welcome({ baseUrl: 'http://127.0.0.1:3000', runsOn: 'embedded PostgreSQL', suffix: 'x1' });

  it('has a command for the first task that can be pasted as it stands', () => {
    const [, body] = /-d '(\{.*\})'/.exec(text)!;
    expect(JSON.parse(body)).toEqual({
      name: 'hello-x1',
      cron_expr: '*/5 * * * * *',
      target_url: 'http://127.0.0.1:3000/demo/echo',
    });
    expect(text).toContain('curl -sS -X POST http://127.0.0.1:3000/api/v1/tasks');
  });

  it('says where the documentation and the runs are', () => {
    expect(text).toContain('http://127.0.0.1:3000/docs');
    expect(text).toContain("curl -sS 'http://127.0.0.1:3000/api/v1/runs?limit=5'");
  });
});

describe('the welcome where keys are asked for', () => {
  const text = welcome({ baseUrl: 'http://10.0.0.7:3000', runsOn: 'x', suffix: 'x1', asksForKeys: true });

  it('says how to make one, and has it in both commands', () => {
    expect(text).toContain('KEY=$(npm run -s keys:create)');
    expect(text.match(/-H "authorization: Bearer \$KEY"/g)).toHaveLength(2);
  });
});

describe('addresses', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['::1', '[::1]'],
    ['example.test', 'example.test'],
  ])('reaches an API that listens on %s at %s', (host, expected) => {
    expect(reachableHost(host)).toBe(expected);
    expect(baseUrl(host, 3000)).toBe(`http://${expected}:3000`);
  });

  it('opens the demo target beside what is allowed already', () => {
    expect(allowDemoTarget({ outboundAllow: ['10.0.0.0/8'] }, '0.0.0.0', 3000)).toBe('10.0.0.0/8,127.0.0.1:3000');
  });
});
