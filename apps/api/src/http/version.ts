import { type FieldProblem, InvalidInput } from '#domain';

const ETAG = /^(?:W\/)?"([1-9]\d{0,9})"$|^([1-9]\d{0,9})$/;

/** The version a change was made from, by body or by `If-Match`; without either the last writer wins. */
export function expectedVersion(inBody: number | null | undefined, ifMatch: string | undefined): number | undefined {
  const inHeader = ifMatch === undefined || ifMatch.trim() === '*' ? undefined : fromETag(ifMatch.trim());
  if (inBody && inHeader && inBody !== inHeader) throw refused({ field: 'version', message: 'differs from If-Match' });
  return inBody ?? inHeader;
}

function fromETag(value: string): number {
  const [, quoted, bare] = ETAG.exec(value) ?? [];
  if (quoted === undefined && bare === undefined) {
    throw refused({ field: 'If-Match', message: 'must be a version such as "3"' });
  }
  return Number(quoted ?? bare);
}

const refused = (problem: FieldProblem) => new InvalidInput([problem]);

export const etagOf = (version: number): string => `"${version}"`;
