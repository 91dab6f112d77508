import { createSecretKey, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { SecretBox, SecretUnavailable } from './secret-box.js';

const key = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });

describe('SecretBox', () => {
  const [k1, k2] = [key('k1'), key('k2')];
  const box = new SecretBox([k1]);

  it('opens what it has sealed, and seals the same differently each time', () => {
    const sealed = box.seal('hush 🙂', 'a');
    expect(sealed).toMatch(/^v1\.k1\.[\w-]+$/);
    expect(sealed).not.toContain('hush');
    expect(box.open(sealed, 'a')).toBe('hush 🙂');
    expect(box.seal('hush 🙂', 'a')).not.toBe(sealed);
  });

  it('opens nothing that was moved to another place, or changed', () => {
    const sealed = box.seal('hush', 'default/notify');
    expect(() => box.open(sealed, 'other/notify')).toThrow(SecretUnavailable);
    const flipped = sealed.endsWith('A') ? `${sealed.slice(0, -2)}BB` : `${sealed.slice(0, -2)}AA`;
    expect(() => box.open(flipped, 'default/notify')).toThrow(SecretUnavailable);
    for (const odd of ['', 'v1', 'v1.k1', 'v1.k1.', 'v2.k1.AAAA', 'hush']) {
      expect(() => box.open(odd, 'default/notify')).toThrow(SecretUnavailable);
    }
  });

  it('goes on opening with an older key while a newer one seals', () => {
    const old = box.seal('hush', 'a');
    const both = new SecretBox([k2, k1]);
    expect(both.open(old, 'a')).toBe('hush');
    expect(both.seal('hush', 'a')).toMatch(/^v1\.k2\./);
    expect(() => new SecretBox([k2]).open(old, 'a')).toThrow(/key "k1", which SECRET_KEYS .* does not have/);
  });

  it('without a key it says what to set', () => {
    expect(new SecretBox([]).canSeal).toBe(false);
    expect(() => new SecretBox([]).seal('hush', 'a')).toThrow(/SECRET_KEYS is not set/);
  });

  it('shows no key to a log', () => {
    const bytes = randomBytes(32);
    const shown = new SecretBox([{ id: 'k', key: createSecretKey(bytes) }]);
    expect(inspect(shown, { depth: 5 }) + JSON.stringify(shown)).not.toContain(bytes.toString('base64'));
    expect(JSON.stringify(shown)).toBe('{"keys":[{"id":"k","key":{}}]}');
  });
});
