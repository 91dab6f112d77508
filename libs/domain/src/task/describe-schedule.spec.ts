import { describe, expect, it } from '@jest/globals';
import { parseSchedule } from '../schedule/index.js';
import { describeSchedule } from './describe-schedule.js';

describe('a schedule in English', () => {
  it.each([
    ['* * * * * *', 'every second, in UTC'],
    ['*/15 * * * * *', 'every 15 seconds, in UTC'],
    ['* * * * *', 'every minute, in UTC'],
    ['*/5 * * * *', 'every 5 minutes, in UTC'],
    ['30 * * * *', 'at minute 30, every hour, in UTC'],
    ['@daily', 'at 00:00:00, every day, in UTC'],
    ['30 2,14 * * *', 'at 02:30:00 and 14:30:00, every day, in UTC'],
    ['0 9 * * MON-FRI', 'at 09:00:00, on Monday–Friday, in UTC'],
    ['0 9 1,15 * *', 'at 09:00:00, on day 1 and day 15, in UTC'],
    ['0 9 13 * FRI', 'at 09:00:00, on day 13 or on Friday, in UTC'],
    ['0 9 L * *', 'at 09:00:00, on the last day of the month, in UTC'],
    ['0 9 LW * *', 'at 09:00:00, on the last working day of the month, in UTC'],
    ['0 9 15W * *', 'at 09:00:00, on the working day nearest to day 15, in UTC'],
    ['0 9 * * 1#2', 'at 09:00:00, on the second Monday of the month, in UTC'],
    ['0 9 * * 5L', 'at 09:00:00, on the last Friday of the month, in UTC'],
    ['0 0 1 1,7 *', 'at 00:00:00, on day 1, in January and July, in UTC'],
    ['*/10 9-17 * * 1-5', 'every 10 minutes, at hour 9–17, on Monday–Friday, in UTC'],
    ['CRON_TZ=Asia/Tokyo 0 9 * * *', 'at 09:00:00, every day, in Asia/Tokyo'],
    ['@every 90s', 'every 90 seconds'],
  ])('%s', (expression, text) => expect(describeSchedule(parseSchedule(expression, 'UTC'))).toBe(text));
});
