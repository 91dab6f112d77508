import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Deployment } from './support/deployment.js';

interface Deliveries {
  items: { id: string; status: string; attempts: number }[];
}

describe('kill -9 of a worker that is sending a notice', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    // A try belongs to its worker for its longest duration and 15 s more.
    deployment = await Deployment.start({ NOTIFY_TIMEOUT_SECONDS: '2', NOTIFY_RETRY_SECONDS: '1,1,1' });
    deployment.target.on('/told', (_call, nth) => (nth === 1 ? { hang: true } : {}));
  });

  afterAll(() => deployment?.stop());

  it('another worker sends it again under the same id, and only then the run is SUCCESS', async () => {
    const { target } = deployment;
    const doomed = await deployment.worker();
    const notify = { success: { url: `${target.url}/told` } };
    const id = await deployment.trigger({ target_url: `${target.url}/work`, notify });
    await target.waitFor(() => target.callsTo('/told').length === 1);
    await doomed.killNow();
    expect((await deployment.run(id)).status).toBe('COMPLETED');

    await deployment.worker();
    await target.waitFor(() => target.callsTo('/told').length > 1, 60_000);
    await deployment.becomes(id, 'SUCCESS');
    const [hung, ...others] = target.callsTo('/told');
    expect(hung.aborted).toBe(true);
    expect(others).toHaveLength(1);
    expect(others[0].headers['webhook-id']).toBe(hung.headers['webhook-id']);
    expect(JSON.parse(others[0].body)).toEqual(JSON.parse(hung.body));
    const tries = [hung, ...others].map((call) => call.headers['x-punctual-delivery-attempt']);
    expect(tries).toEqual(['1', '2']);
    const { items } = await deployment.api.get<Deliveries>(`/deliveries?run_id=${id}`);
    expect(items).toMatchObject([{ id: hung.headers['webhook-id'], status: 'DELIVERED', attempts: 2 }]);
    // The work itself was done once.
    expect(target.callsTo('/work')).toHaveLength(1);
  });
});
