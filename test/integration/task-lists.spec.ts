import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';

describe('lists of tasks', () => {
  let stack: Stack;
  let api: RunningApi;
  const names: string[] = [];

  const create = async (fields: object) => {
    const { data, status } = await api.http.post('/tasks', taskBody(fields));
    expect(status).toBe(201);
    names.unshift(data.name);
    return data;
  };
  const list = async (params: object = {}) => (await api.http.get('/tasks', { params })).data;
  const namesOf = async (params: object) =>
    (await list(params)).items.map((item: { name: string }) => item.name) as string[];

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
    await create({ name: 'a%b', category: 'one', tags: ['x', 'y'], cron_expr: '@daily' });
    await create({ name: 'a_b', category: 'two', tags: ['y'], status: 'DISABLED' });
    await create({ name: 'axb', category: 'one' });
    await create({ name: 'Axb', cron_expr: '@hourly', tags: ['y', 'X'] });
    await create({ name: 'a\\b' });
    await create({ name: 'ü🙂1' });
    await create({ name: 'ü🙂2', tags: ['y'] });
    const gone = await create({ name: 'axb-gone', category: 'one', tags: ['y'], cron_expr: '@daily' });
    await api.http.delete(`/tasks/${gone.id}`);
    names.shift();
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  it('gives all live tasks, newest first', async () => {
    const answer = await list();
    expect(answer.items.map((item: { name: string }) => item.name)).toEqual(names);
    expect(answer.next_cursor).toBeNull();
    const [first] = answer.items;
    expect((await api.http.get(`/tasks/${first.id}`)).data).toEqual(first);
  });

  it.each([
    [{ status: 'DISABLED' }, ['a_b']],
    [{ category: 'one' }, ['axb', 'a%b']],
    [{ category: 'One' }, []],
    [{ tag: 'y' }, ['ü🙂2', 'Axb', 'a_b', 'a%b']],
    [{ tag: 'x' }, ['a%b']],
    [{ tag: 'y', status: 'ENABLED', type: 'cron' }, ['Axb', 'a%b']],
    [{ type: 'cron' }, ['Axb', 'a%b']],
    [{ name: 'a' }, ['a\\b', 'axb', 'a_b', 'a%b']],
    [{ name: 'a%' }, ['a%b']],
    [{ name: 'a_' }, ['a_b']],
    [{ name: 'a\\' }, ['a\\b']],
    [{ name: 'A' }, ['Axb']],
    [{ name: 'ü🙂' }, ['ü🙂2', 'ü🙂1']],
    [{ name: 'axb ' }, []],
    [{ name: 'a', category: 'one', type: 'on_demand' }, ['axb']],
  ])('filters by %j', async (params, expected) => expect(await namesOf(params)).toEqual(expected));

  it.each([{}, { tag: 'y' }, { name: 'a' }])('walks through pages of %j without gaps or repeats', async (filter) => {
    const all = await namesOf(filter);
    const walked: string[] = [];
    let cursor: string | null | undefined;
    do {
      const answer = await list({ ...filter, limit: 2, ...(cursor ? { cursor } : {}) });
      expect(answer.items.length).toBeLessThanOrEqual(2);
      walked.push(...answer.items.map((item: { name: string }) => item.name));
      cursor = answer.next_cursor;
    } while (cursor);
    expect(walked).toEqual(all);
  });

  it('a page is not moved by what is created behind it', async () => {
    const first = await list({ limit: 3 });
    await create({ name: 'newcomer' });
    const second = await list({ limit: 3, cursor: first.next_cursor });
    expect(second.items.map((item: { name: string }) => item.name)).toEqual(names.slice(4, 7));
  });

  it('finds a name behind thousands of newer tasks, with the other filters, page by page', async () => {
    const now = new Date();
    const row = (name: string) => ({ name, liveName: name, retryPolicyJson: {}, createdAt: now, updatedAt: now });
    await api.platform.database.client.task.createMany({
      data: Array.from({ length: 2_050 }, (_, i) => row(`newer-${i}`)),
    });
    expect(await namesOf({ name: 'a' })).toEqual(['a\\b', 'axb', 'a_b', 'a%b']);
    expect(await namesOf({ name: 'a%' })).toEqual(['a%b']);
    expect(await namesOf({ name: 'axb ' })).toEqual([]);
    expect(await namesOf({ name: 'a', category: 'one', type: 'on_demand', status: 'ENABLED' })).toEqual(['axb']);
    const first = await list({ name: 'a', limit: 3 });
    expect(await namesOf({ name: 'a', limit: 3, cursor: first.next_cursor })).toEqual(['a%b']);

    const newest = ['newer-2049', 'newer-2048', 'newer-2047'];
    expect(await namesOf({ name: 'newer-20', limit: 3 })).toEqual(newest);
    // Too many to be sorted first, but near; then as many, and far.
    expect(await namesOf({ name: 'newer-', limit: 3 })).toEqual(newest);
    await api.platform.database.client.task.createMany({
      data: Array.from({ length: 2_050 }, (_, i) => row(`later-${i}`)),
    });
    expect(await namesOf({ name: 'newer-', limit: 3 })).toEqual(newest);
    const page = await list({ name: 'newer-', limit: 3 });
    expect(await namesOf({ name: 'newer-', limit: 2, cursor: page.next_cursor })).toEqual(['newer-2046', 'newer-2045']);
  });
});
