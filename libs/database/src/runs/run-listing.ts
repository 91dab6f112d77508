import type { RunStatus, RunTrigger } from '#domain';

export interface RunListing {
  tenantId: string;
  limit: number;
  /** Only runs whose id sorts before this one. */
  before?: string;
  taskId?: bigint;
  status?: RunStatus;
  trigger?: RunTrigger;
  category?: string;
  creator?: string;
  /** Both ends of the scheduled time belong to the range. */
  from?: Date;
  to?: Date;
}
