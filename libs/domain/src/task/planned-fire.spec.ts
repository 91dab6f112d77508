import { describe, expect, it } from '@jest/globals';
import { TASK_DEFAULTS } from './definition.js';
import { plannedFire } from './planned-fire.js';

const at = (text: string) => new Date(`2026-01-01T${text}Z`);
const now = at('12:00:00.500');
const planned = (fields: object) => plannedFire({ ...TASK_DEFAULTS, ...fields }, now);

describe('the next fire of a task', () => {
  it.each([
    ['the second that has begun is over', { cronSource: '* * * * * *' }, at('12:00:01')],
    ['the second itself belongs to the start', { cronSource: '* * * * *', startAt: at('13:00:00') }, at('13:00:00')],
    [
      'a start within a second leaves that second out',
      { cronSource: '* * * * * *', startAt: at('13:00:00.001') },
      at('13:00:01'),
    ],
    ['the second itself belongs to the end', { cronSource: '@hourly', endAt: at('13:00:00') }, at('13:00:00')],
    ['nothing after the end', { cronSource: '@hourly', endAt: at('12:59:59') }, null],
    ['nothing while disabled', { cronSource: '@hourly', status: 'DISABLED' }, null],
    ['nothing on demand', {}, null],
    ['in the zone of the task', { cronSource: '0 9 * * *', timezone: 'Asia/Tokyo' }, new Date('2026-01-02T00:00:00Z')],
  ])('%s', (_title, fields, expected) => expect(planned(fields)).toEqual(expected));
});
