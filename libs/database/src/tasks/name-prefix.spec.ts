import { describe, expect, it } from '@jest/globals';
import { startsWith } from './name-prefix.js';

describe('the range of names that start with a text', () => {
  it.each([
    ['a', 'b'],
    ['az', 'a{'],
    ['\ud7ff', '\ue000'],
    ['a🙂', 'a🙃'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', undefined],
  ])('%s ends before %s', (prefix, end) =>
    expect(startsWith(prefix)).toMatchObject({ gte: prefix, ...(end && { lt: end }) }),
  );

  it('takes wildcards literally', () => expect(startsWith('50%_\\')).toMatchObject({ startsWith: '50\\%\\_\\\\' }));
});
