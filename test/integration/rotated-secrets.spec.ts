import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '#config';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { rotate } from '../../apps/secrets/src/rotate.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { isSignedWith } from '../support/notices.js';
import { startWorker } from '../support/product.js';

const bytes = (byte: number) => Buffer.alloc(32, byte);
const text = (id: string, byte: number) => `${id}:${bytes(byte).toString('base64')}`;
const boxOf = (...keys: [string, number][]) =>
  new SecretBox(keys.map(([id, byte]) => ({ id, key: createSecretKey(bytes(byte)) })));
const BOTH = boxOf(['k2', 2], ['k1', 1]);

describe('the deployment’s key', () => {
  let stack: Stack;
  let api: RunningApi;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/work', { status: 200 }).on('/told', { status: 200 });
    api = await startApi(stack, { SECRET_KEYS: text('k1', 1) });
  });

  afterAll(async () => {
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const run = (write = true) => rotate(api.platform.database, BOTH, { write }, () => undefined);
  const create = async (fields: object = {}) => {
    const given = {
      target_url: `${target.url}/work`,
      headers_json: { Authorization: 'Bearer one', 'X-Own': { secret: 'own "ü"' }, 'X-Seen': 'a \\ "b"' },
      notify: { success: { url: `${target.url}/told` }, security: { type: 'aksk', ak: 'a', sk: 'the key' } },
      ...fields,
    };
    return (await api.http.post<{ id: string }>('/tasks', taskBody(given))).data.id;
  };

  it('is replaced under all that it seals, and what was sealed works with the new one alone', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await create());
    await api.http.delete(`/tasks/${ids[4]}`);
    const plain = await create({ headers_json: { 'X-Seen': 'x' }, notify: null });
    const { database } = api.platform;
    await database.client.task.update({ where: { id: BigInt(plain) }, data: { headersJson: { 'X-Api-Key': 'old' } } });
    const before = await database.client.task.findUniqueOrThrow({ where: { id: BigInt(ids[0]) } });

    const check = await run(false);
    expect([check.first.left, check.first.unsealed, [...check.first.byKey]]).toEqual([6, 1, [['k1', 15]]]);
    const { first, last } = await run();
    expect([first.written, last.left, [...last.byKey], last.lost]).toEqual([6, 0, [['k2', 16]], []]);
    expect((await run(false)).last).toMatchObject({ left: 0, unsealed: 0 });

    const row = await database.client.task.findUniqueOrThrow({ where: { id: BigInt(ids[0]) } });
    const { headersJson, notify, ...rest } = row;
    const { headersJson: _h, notify: _n, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
    expect(JSON.stringify([headersJson, notify])).not.toContain('v1.k1.');

    const worker = await startWorker(stack, { SECRET_KEYS: text('k2', 2) });
    const { data } = await api.http.post<{ id: string }>(`/tasks/${ids[0]}/runs`);
    await eventually(async () => (await api.http.get(`/runs/${data.id}`)).data.status === 'SUCCESS', 'it is told');
    await worker.stop();
    const [call] = target.callsTo('/work');
    expect(call.headers).toMatchObject({ authorization: 'Bearer one', 'x-seen': 'a \\ "b"' });
    expect(Buffer.from(String(call.headers['x-own']), 'latin1').toString('latin1')).toBe('own "ü"');
    expect(isSignedWith('the key', target.callsTo('/told')[0])).toEqual({ own: true, standard: true });
  });

  it('gives way to whoever changes a task meanwhile: nothing of theirs is lost, and the next pass gets it', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => create()));
    const edits = ids.map(async (id, at) => {
      for (let i = 0; i < 5; i++) {
        const { status } = await api.http.patch(`/tasks/${id}`, {
          headers_json: { 'X-Own': { secret: `${at}-${i}` } },
        });
        expect(status).toBe(200);
      }
    });
    const rotations = [run(), run()];
    await Promise.all([...edits, ...rotations]);
    const { last } = await run();
    expect(last).toMatchObject({ left: 0, lost: [] });
    for (const [at, id] of ids.entries()) {
      const { headersJson } = await api.platform.database.client.task.findUniqueOrThrow({ where: { id: BigInt(id) } });
      const { sealed } = (headersJson as Record<string, { sealed: string }>)['X-Own'];
      expect(boxOf(['k2', 2]).open(sealed, 'default/header.x-own')).toBe(`${at}-4`);
    }
  });
});
