/** A second as people read it: `2026-03-29T01:00:00Z`. */
export const shown = (second: number): string => `${new Date(Math.floor(second) * 1000).toISOString().slice(0, 19)}Z`;
