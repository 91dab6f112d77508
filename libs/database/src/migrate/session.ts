/** A plain connection of the driver's: a migration is a script of many statements, which Prisma's client does not run. */
export interface MigrationSession {
  /** Waits for the lock that keeps others from migrating the same database. */
  lock(): Promise<void>;
  createLedger(): Promise<void>;
  applied(): Promise<{ name: string; checksum: string; finished: boolean }[]>;
  begin(id: string, name: string, checksum: string): Promise<void>;
  apply(script: string): Promise<void>;
  finish(id: string): Promise<void>;
  fail(id: string, reason: string): Promise<void>;
  close(): Promise<void>;
}
