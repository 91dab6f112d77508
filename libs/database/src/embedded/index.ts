export * from './embedded-postgres.js';
export * from './ensure-database.js';
export * from './running-postgres.js';
