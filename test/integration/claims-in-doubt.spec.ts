import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

type Ask = (...asked: unknown[]) => Promise<unknown>;
const ASKING = ['rows', 'run', 'runThenRows'] as const;
const gone = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe('a claim whose answer is lost with its connection', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    worker = await startWorker(stack);
  });

  afterEach(() => {
    for (const name of ASKING) Reflect.deleteProperty(driver(), name);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const driver = () => worker.platform.database.driver;
  /** Until the test is over, statements of that text are asked this way. */
  const intercept = (text: string, how: (asks: Ask, asked: unknown[]) => Promise<unknown>) => {
    for (const name of ASKING) {
      const real = driver()[name].bind(driver()) as Ask;
      const asks: Ask = (...asked) => (JSON.stringify(asked[0]).includes(text) ? how(real, asked) : real(...asked));
      Object.assign(driver(), { [name]: asks });
    }
  };
  const CLAIM = "SET status = 'RUNNING', exec_id";
  const CLAIM_MYSQL = "SET r.status = 'RUNNING', r.exec_id";
  const GIVE_BACK = 'attempt - 1';
  const claimText = () => (worker.platform.database.dialect === 'mysql' ? CLAIM_MYSQL : CLAIM);

  const trigger = async (path: string) => {
    const { data } = await api.http.post('/tasks', taskBody({ target_url: `${target.url}${path}` }));
    return (await api.http.post(`/tasks/${data.id}/runs`)).data.id as string;
  };
  /** Well before anybody would take the worker for lost. */
  const isCalledOnce = async (id: string, path: string) => {
    const isOver = async () => (await api.http.get(`/runs/${id}`)).data.status === 'SUCCESS';
    await eventually(isOver, 'it has succeeded', 25_000);
    const { data } = await api.http.get(`/runs/${id}`);
    expect(data).toMatchObject({ attempt: 1, max_attempts: 1, attempts: [{ outcome: 'SUCCESS' }] });
    expect(target.callsTo(path)).toHaveLength(1);
  };

  it('is taken back as soon as the database answers, and costs no attempt', async () => {
    const refused = { claims: 0, givenBack: 0 };
    intercept(claimText(), async (asks, asked) => {
      const answer = await asks(...asked);
      if (++refused.claims === 1) throw gone();
      return answer;
    });
    intercept(GIVE_BACK, (asks, asked) => {
      if (++refused.givenBack <= 2) return Promise.reject(gone());
      return asks(...asked);
    });
    const id = await trigger('/lost');
    await isCalledOnce(id, '/lost');
    expect(refused.claims).toBeGreaterThan(1);
    expect(refused.givenBack).toBeGreaterThan(2);
  }, 60_000);

  it('is taken back when it reaches the database only after it was given up', async () => {
    let late: (() => Promise<unknown>) | undefined;
    let claims = 0;
    intercept(claimText(), async (asks, asked) => {
      if (++claims === 1) {
        late = () => asks(...asked);
        throw gone();
      }
      // The second one, of the same run, comes behind the first.
      await late?.();
      late = undefined;
      return asks(...asked);
    });
    const id = await trigger('/late');
    await isCalledOnce(id, '/late');
    expect(claims).toBeGreaterThan(2);
  }, 60_000);
});
