import { describe, expect, it } from '@jest/globals';
import type { AgentExecution } from '#database';
import { NO_RETRIES } from '#domain';
import { agentSettlement } from './agent-settlement.js';

const RUN: AgentExecution = {
  ...{ id: '1-1', tenantId: 'default', taskId: 1n, status: 'RUNNING', execId: 'e', attempt: 1, tickAttempt: 1 },
  ...{ maxAttempts: 1, node: 'a', priority: 0, leaseUntil: null, errorCode: null, executor: 'AGENT' },
  ...{ retryPolicy: NO_RETRIES, needManual: false, logMode: 'trans_log', notify: null },
  ...{ trigger: 'CRON', scheduledTime: 1_000, startedAt: 61_000 },
};

describe('what an agent’s report writes', () => {
  it.each<[string, Partial<AgentExecution>, number | undefined]>([
    ['a tick’s first attempt', {}, 60_000],
    ['a later attempt', { attempt: 2 }, undefined],
    ['a run somebody asked for', { trigger: 'MANUAL' }, undefined],
  ])('says how late %s began', (_, fields, lateMs) => {
    expect(agentSettlement({ ...RUN, ...fields }, { kind: 'complete' }, 70_000, 0).lateMs).toBe(lateMs);
  });
});
