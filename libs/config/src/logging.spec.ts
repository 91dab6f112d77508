import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logging.js';
import { NestLogger } from './nest-logger.js';
import type { Config } from './settings.js';

function logTo(logLevel: Config['logLevel'], logFormat: Config['logFormat']) {
  const lines: string[] = [];
  const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  return { log: createLogger({ logLevel, logFormat }, 'test', stream), text: () => lines.join('') };
}

describe('logs', () => {
  it.each(['pretty', 'json'] as const)('%s lines are one line each and hide secrets at any depth we log', (format) => {
    const { log, text } = logTo('info', format);
    const secrets = { sk: 's1', headers: { authorization: 's2', 'set-cookie': 's3' }, a: { b: { password: 's4' } } };
    log.info({ ...secrets, run: '7-1' }, 'hello');
    expect(text()).toContain('hello');
    expect(text()).toContain('7-1');
    expect(text()).not.toMatch(/s[1-4]/);
    expect(text().trim().split('\n')).toHaveLength(1);
  });

  it('JSON says when, how bad and who', () => {
    const { log, text } = logTo('info', 'json');
    log.warn('careful');
    expect(JSON.parse(text())).toMatchObject({ level: 'warn', name: 'test', msg: 'careful', time: expect.any(String) });
  });

  it('says nothing below its level, and nothing about the framework wiring itself up', () => {
    const { log, text } = logTo('debug', 'json');
    log.trace('quiet');
    new NestLogger(log).log('wiring', 'InstanceLoader');
    new NestLogger(log).error(new Error('broken'), 'Somebody');
    expect(text()).toContain('broken');
    expect(text()).not.toMatch(/quiet|wiring/);
  });
});
