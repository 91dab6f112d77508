import { describe, expect, it } from '@jest/globals';
import { TASK_DEFAULTS, type TaskDefinition } from './definition.js';
import { keepSecretKey } from './notify-rules.js';
import { taskProblems } from './task-rules.js';

const task = (fields: Partial<TaskDefinition> = {}): TaskDefinition => ({
  ...TASK_DEFAULTS,
  name: 'a task',
  targetUrl: 'https://example.com/',
  ...fields,
});
const fields = (given: Partial<TaskDefinition>, shell = false) =>
  taskProblems(task(given), { shell }).map(({ field }) => field);
const at = (text: string) => new Date(text);

describe('what fits together in a task', () => {
  it.each<[string, Partial<TaskDefinition>, string[]]>([
    ['the defaults and a target', {}, []],
    ['HTTP without a target', { targetUrl: null }, ['target_url']],
    ['an agent needs no target', { executor: 'AGENT', targetUrl: null }, []],
    ['an agent may keep one', { executor: 'AGENT' }, []],
    ['a command is for SHELL', { command: 'ls' }, ['command']],
    ['ASYNC with the default callback timeout', { execType: 'ASYNC' }, []],
    ['ASYNC without one', { execType: 'ASYNC', callbackTimeoutSec: null }, ['callback_timeout_sec']],
    ['SYNC without one', { callbackTimeoutSec: null }, []],
    ['ASYNC for an agent', { executor: 'AGENT', execType: 'ASYNC' }, ['exec_type']],
    ['variables in the path', { targetUrl: 'https://x.test/{{task_id}}?p={{payload.a}}' }, []],
    ['variables in the host', { targetUrl: 'https://{{payload.host}}/' }, ['target_url']],
    ['an unknown variable', { bodyTemplate: '{{when}}' }, ['body_template']],
    ['a header of ours', { headersJson: { 'X-Punctual-Run-Id': '1' } }, ['headers_json.X-Punctual-Run-Id']],
    ['an unknown zone alone', { timezone: 'Mars/Base' }, ['timezone']],
    [
      'an unknown zone and a bad expression',
      { timezone: 'Mars/Base', cronSource: '99 * * * *' },
      ['timezone', 'cron_expr'],
    ],
    ['a zone in the expression', { cronSource: 'CRON_TZ=Mars/Base * * * * *' }, ['cron_expr']],
    ['an end before the start', { startAt: at('2026-01-02T00:00:00Z'), endAt: at('2026-01-01T00:00:00Z') }, ['end_at']],
    ['tags twice', { tags: ['a', 'b', 'a'] }, ['tags']],
    [
      'retries without a limit',
      { retryPolicyJson: { strategy: 'fixed', interval_seconds: 1 } },
      ['retry_policy_json.max_attempts'],
    ],
    ['leftovers of another strategy', { retryPolicyJson: { strategy: 'none', max_attempts: 3 } }, []],
    ['signing without keys', { notify: { security: { type: 'aksk' } } }, ['notify.security.ak', 'notify.security.sk']],
    ['a notice to nowhere', { notify: { success: { url: 'mailto:x@y' } } }, ['notify.success.url']],
  ])('%s', (_title, given, expected) => expect(fields(given)).toEqual(expected));

  it('SHELL needs a command, and a deployment that allows it', () => {
    expect(fields({ executor: 'SHELL', command: 'ls' })).toEqual(['executor']);
    expect(fields({ executor: 'SHELL', command: 'ls' }, true)).toEqual([]);
    expect(fields({ executor: 'SHELL' }, true)).toEqual(['command']);
  });

  it('a cron problem names the part of the expression', () => {
    expect(taskProblems(task({ cronSource: '61 * * * *' }), { shell: false })).toEqual([
      { field: 'cron_expr', message: expect.stringMatching(/^minute: /) },
    ]);
    expect(taskProblems(task({ cronSource: '* *' }), { shell: false })[0].message).not.toMatch(/^cron_expr/);
  });
});

describe('the secret key of a change that leaves it out', () => {
  const sealed = [{ key: 'sealed' }];
  const stored = { security: { type: 'aksk' as const, ak: 'a', sealed } };
  it.each([
    ['stays for the same access key', { security: { type: 'aksk' as const, ak: 'a' } }, sealed],
    ['stays when the access key is left out too', { security: { type: 'aksk' as const } }, sealed],
    ['does not stay for another one', { security: { type: 'aksk' as const, ak: 'b' } }, undefined],
    ['stays beside a new one', { security: { type: 'aksk' as const, ak: 'a', sk: 'new' } }, sealed],
    ['goes with the signing', { security: { type: 'none' as const } }, undefined],
  ])('%s', (_title, given, kept) => expect(keepSecretKey(stored, given)?.security?.sealed).toEqual(kept));

  it('is not made up', () => {
    expect(keepSecretKey(null, { security: { type: 'aksk', ak: 'a' } })?.security?.sealed).toBeUndefined();
    expect(keepSecretKey(stored, null)).toBeNull();
    expect(fields({ notify: { security: { type: 'aksk', ak: 'a', sealed } } })).toEqual([]);
  });
});
