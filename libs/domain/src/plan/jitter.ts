/** How late, in milliseconds, a tick starts under `jitter_seconds`: spread evenly, and always the same for task and tick. */
export function jitterMs(taskId: bigint, second: number, jitterSeconds: number): number {
  if (jitterSeconds === 0) return 0;
  return mix(Number(taskId % 4_294_967_291n), second) % (jitterSeconds * 1000);
}

/** A 32-bit integer hash of two numbers: neighbours land far apart. */
function mix(a: number, b: number): number {
  let h = (a ^ Math.imul(b, 0x9e3779b1)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
  return (h ^ (h >>> 16)) >>> 0;
}
