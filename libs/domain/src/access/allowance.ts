/** Most that a process takes at once, as a part of the limit: what it leaves unused is missing elsewhere until the window ends. */
const SHARE = 20;

/**
 * What one process has of a limit that all processes share, in one window of time: it takes from the common account in blocks that
 * grow as they are used, so that most requests ask nobody.
 */
export interface Allowance {
  /** Taken from the account and not used yet. */
  readonly left: number;
  /** How much is known to be left in the account. */
  readonly open: number;
  /** The size of the last block. */
  readonly block: number;
}

export const freshAllowance = (limit: number): Allowance => ({ left: 0, open: limit, block: 0 });

/** Null: not from what is here. */
export function useAllowance(allowance: Allowance, cost: number): Allowance | null {
  return allowance.left >= cost ? { ...allowance, left: allowance.left - cost } : null;
}

/** How much to take from the account for something that costs so much; 0 when there is too little to be had. */
export function blockToTake({ left, open, block }: Allowance, limit: number, cost: number): number {
  const missing = cost - left;
  if (missing > open) return 0;
  return Math.min(open, Math.max(missing, Math.min(2 * block, Math.ceil(limit / SHARE)), 1));
}

/** After a block was taken, and the account has answered with how much was ever taken from it in this window. */
export function afterTaking({ left }: Allowance, limit: number, block: number, total: number): Allowance {
  const granted = Math.max(0, Math.min(block, limit - (total - block)));
  return { left: left + granted, open: Math.max(0, limit - total), block };
}

/** What a caller may still do in this window, as far as this process knows. */
export const remainingOf = ({ left, open }: Allowance): number => left + open;
