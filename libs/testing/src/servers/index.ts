export * from './databases.js';
export * from './free-port.js';
export * from './guardian.js';
export * from './mariadb.js';
export * from './postgres.js';
export * from './redis.js';
export * from './temp-dir.js';
