import { expect } from '@jest/globals';
import type { World } from './world.js';

/** What sequences have come upon: a model that never meets a line proves nothing of it. */
export class Reached {
  private sequences = 0;
  private readonly releases: Record<string, number> = {};

  add({ releases }: World): void {
    this.sequences++;
    for (const [cause, count] of Object.entries(releases)) {
      this.releases[cause] = (this.releases[cause] ?? 0) + count;
    }
  }

  /** @param each how many runs have been let in from their line by each of the causes */
  expectAtLeast(sequences: number, each: number): void {
    expect(this.sequences).toBeGreaterThanOrEqual(sequences);
    const rare = Object.entries(this.releases).filter(([, count]) => count < each);
    expect(rare).toEqual([]);
  }
}
