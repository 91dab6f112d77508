import { Inject, Injectable } from '@nestjs/common';
import { deliveriesOfRun, findRun } from '#database';
import { NotFound } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { presentDelivery } from '../deliveries/present-delivery.js';
import { presentWhole } from './present-whole-run.js';

/** One run with everything that is known of it. */
@Injectable()
export class RunPage {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  async of(tenantId: string, id: string) {
    const { client } = this.platform.database;
    const found = await findRun(client, tenantId, id);
    if (found === null) throw new NotFound('run', id);
    const deliveries = await deliveriesOfRun(client, tenantId, id);
    return { ...presentWhole(found), deliveries: deliveries.map(presentDelivery) };
  }
}
