import { Inject, Injectable } from '@nestjs/common';
import { type AnyRun, listArchivedRuns, listRuns } from '#database';
import { PLATFORM, type Platform } from '#pipeline';
import { decodeCursor, encodeCursor, page } from '../http/cursor.js';
import { DEFAULT_LIMIT } from '../http/list.query.js';
import type { TaskRunsQuery } from './list-runs.query.js';
import { presentRun } from './present-run.js';

/** One page of runs, of one task or of all. */
@Injectable()
export class RunList {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  async page(tenantId: string, taskId: bigint | undefined, query: TaskRunsQuery) {
    const { limit = DEFAULT_LIMIT, cursor, from, to, status, trigger, category, creator } = query;
    const list = query.archived ? listArchivedRuns : listRuns;
    const rows: AnyRun[] = await list(this.platform.database, {
      ...{ tenantId, taskId, status, trigger, category, creator },
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      before: decodeCursor('run', cursor),
      limit: limit + 1,
    });
    return page(rows, limit, presentRun, ({ id }) => encodeCursor('run', id));
  }
}
