type Fields = Record<string, unknown>;

/** Of two versions of something only what differs, and null where one of the two is not there. */
export function changedFields(
  before: Fields | null,
  after: Fields | null,
): { before: Fields | null; after: Fields | null } {
  if (before === null || after === null) return { before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const only = (all: Fields) => Object.fromEntries(changed.map((name) => [name, all[name] ?? null]));
  return { before: only(before), after: only(after) };
}
