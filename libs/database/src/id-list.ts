/** Task ids as the statements take them: a JSON array of texts, since JSON's numbers are too short for a bigint. */
export const idList = (ids: readonly bigint[]): string => JSON.stringify(ids.map(String));
