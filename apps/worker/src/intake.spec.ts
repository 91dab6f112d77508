import { describe, expect, it } from '@jest/globals';
import { Intake } from './intake.js';

describe('what a worker takes', () => {
  const sourceOf = (told: string[]) => ({
    pause: () => void told.push('pause'),
    resume: () => void told.push('resume'),
  });

  it('is nothing while there is a reason not to, and as before when the last one is gone', () => {
    const told: string[] = [];
    const intake = new Intake([sourceOf(told)]);
    intake.open('draining');
    expect(told).toEqual([]);
    intake.close('draining');
    intake.close('out of touch');
    intake.open('draining');
    expect(told).toEqual(['pause']);
    intake.open('out of touch');
    expect(told).toEqual(['pause', 'resume']);
  });

  it('stays nothing once it stops, whatever else is over', () => {
    const told: string[] = [];
    const intake = new Intake([sourceOf(told)]);
    intake.close('out of touch');
    intake.close('stopping');
    intake.open('out of touch');
    expect(told).toEqual(['pause']);
  });
});
