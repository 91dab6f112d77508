import { describe, expect, it } from '@jest/globals';
import type { SecretBox } from '#config';
import type { ClaimedRun, TaskDefinition } from '#database';
import { buildCall, prepareRequest } from './prepared-request.js';

describe('the body of a call', () => {
  const bodyOf = (contentType: string | undefined, payload: unknown) => {
    const definition = {
      ...{ tenantId: 'default', httpMethod: 'POST', targetUrl: 'http://x.test/', timeoutSeconds: 1 },
      ...{ bodyTemplate: '{"a":"{{payload.v}}"}', headers: contentType ? { 'content-type': contentType } : {} },
    } as unknown as TaskDefinition;
    const run = { id: '1-1', taskId: 1n, attempt: 1, scheduledTime: 0, traceId: 'f'.repeat(32), execId: 'e', payload };
    const call = buildCall(definition, prepareRequest(definition, {} as SecretBox), run as ClaimedRun, () => undefined);
    return call.body;
  };
  const bold = { v: 'x","admin":"1', k: 'json', charset: 'utf-8' };
  const kept = '{"a":"x\\",\\"admin\\":\\"1"}';

  it.each([
    [undefined, kept],
    ['application/json', kept],
    ['application/problem+json; charset={{payload.charset}}', kept],
    ['application/{{payload.k}}', kept],
    ['application/{{payload.nothing}}', '{"a":"x","admin":"1"}'],
    ['text/plain', '{"a":"x","admin":"1"}'],
  ])('is what its content type says that it is, also when variables do: %s', (contentType, expected) => {
    expect(bodyOf(contentType, bold)).toBe(expected);
  });
});
