import type { Statement } from '../sql.js';

/** The smallest question there is. */
export const PING: Statement = { postgresql: 'SELECT 1 AS pong', mysql: 'SELECT 1 AS pong' };
