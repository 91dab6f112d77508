import { findMariaDb } from './mariadb.js';
import { findMySql } from './mysql.js';
import { findRedis } from './redis.js';

/** Which servers this machine can start, beside PostgreSQL, which the project brings. */
export const findServers = () => ({
  redis: Boolean(findRedis()),
  mariadb: Boolean(findMariaDb()),
  mysql: Boolean(findMySql()),
});
