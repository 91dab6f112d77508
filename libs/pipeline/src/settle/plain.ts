/** Most characters of a text that are kept. */
const KEPT = 16_384;

/** Text that both databases can store. */
export function plain(text: string): string {
  return text.slice(0, KEPT).toWellFormed().replaceAll('\0', '\ufffd');
}
