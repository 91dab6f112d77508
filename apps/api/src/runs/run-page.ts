import { Inject, Injectable } from '@nestjs/common';
import { findRun } from '#database';
import { NotFound } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { presentWhole } from './present-whole-run.js';

/** One run with everything that is known of it. */
@Injectable()
export class RunPage {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  async of(tenantId: string, id: string) {
    const found = await findRun(this.platform.database.client, tenantId, id);
    if (found === null) throw new NotFound('run', id);
    return presentWhole(found);
  }
}
