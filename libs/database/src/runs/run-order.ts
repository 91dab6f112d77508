/** The order in which run rows are locked: by id. Statements take their rows in the order of the JSON they are given, and those of a list of ids in the order of the index. */
export const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

export const byRunId = (a: { runId: string }, b: { runId: string }): number =>
  a.runId < b.runId ? -1 : a.runId > b.runId ? 1 : 0;
