import { describe, expect, it } from '@jest/globals';
import { checkTargetUrl } from './index.js';

describe('checkTargetUrl', () => {
  it.each([
    'http://localhost:3000/hook',
    'HTTPS://Example.org',
    'https://example.org./x',
    'http://10.0.0.1/',
    'http://[::1]:8080/',
    'http://0x7f.1/',
    'https://bücher.example/{{payload.id}}?a={{run_id}}',
    'http://my_service.default.svc:80/',
  ])('accepts %s', (url) => {
    expect(checkTargetUrl(url)).toBeNull();
  });

  it.each([
    ['ftp://example.org/', 'must start with http'],
    ['file:///etc/passwd', 'must start with http'],
    ['javascript:alert(1)', 'must start with http'],
    ['http:\\\\example.org', 'must start with http'],
    ['example.org/x', 'must start with http'],
    ['', 'must start with http'],
    [' http://example.org/', 'white space'],
    ['http://exa\nmple.org/', 'white space'],
    ['http://', 'not valid'],
    ['http://a:99999/', 'not valid'],
    ['http://256.1.1.1/', 'not valid'],
    ['http://[::1', 'not valid'],
    ['http://h:0/', 'port'],
    ['http://user@example.org/', 'user name'],
    ['http://user:pass@example.org/', 'user name'],
    ['http://:pass@example.org/', 'user name'],
    ['http://{{payload.host}}/', 'valid'],
    ['http://a..b/', 'valid host'],
    ['http://-a.example/', 'valid host'],
    [`http://${'a.'.repeat(130)}example/`, 'valid'],
    [`http://example.org/${'x'.repeat(2048)}`, 'longer than 2048'],
  ])('refuses %s: %s', (url, problem) => {
    expect(checkTargetUrl(url)).toContain(problem);
  });
});
