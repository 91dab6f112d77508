import { InvalidInput } from '#domain';

type List = keyof typeof ID_SHAPES;

/** Where a list goes on: opaque to the caller, and of use to the list it came from only. */
export function encodeCursor(list: List, id: string): string {
  return Buffer.from(`${list}:${id}`).toString('base64url');
}

export function decodeCursor(list: List, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const id = text.slice(list.length + 1);
  const valid = ID_SHAPES[list].test(id) && encodeCursor(list, id) === cursor;
  if (!valid) throw new InvalidInput([{ field: 'cursor', message: 'is not a cursor of this list' }]);
  return id;
}

const NUMBER = /^[1-9]\d{0,18}$/;
const ID_SHAPES = {
  task: NUMBER,
  run: /^[0-9A-Za-z_-]{1,64}$/,
  backfill: NUMBER,
  delivery: /^[0-9A-Za-z_-]{1,40}$/,
  api_key: NUMBER,
  audit: NUMBER,
};

/** A page, and where the next one begins. One row more than the page was asked for tells whether there is one. */
export function page<Row, Item>(
  rows: Row[],
  limit: number,
  present: (row: Row) => Item,
  cursorOf: (row: Row) => string,
): { items: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: shown.map(present), next_cursor: more ? cursorOf(last) : null };
}
