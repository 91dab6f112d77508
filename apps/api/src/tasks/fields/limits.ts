/** The largest INTEGER both databases hold. */
export const MAX_INT = 2_147_483_647;
export const THIRTY_DAYS = 2_592_000;
