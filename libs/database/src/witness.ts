import type { Sql } from './driver.js';

/** Writes down what is done, in the transaction that does it; `was` is the status before. Not called where nothing changes. */
export type Witness = (sql: Sql, was: string) => Promise<void>;
