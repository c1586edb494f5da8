import { describe, expect, test } from 'vitest';
import { parseUploadKey, safeFileName, uploadKey } from '../../shared/object-keys.ts';

const user = '01K9Z3P1A2B3C4D5E6F7G8H9JK';
const upload = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';

describe('a file name in a key', () => {
  test.each([
    ['holiday.mp4', 'holiday.mp4'],
    ['h ü.mp4', 'h-u.mp4'],
    ['../../etc/passwd', 'etc-passwd'],
    ['-i.mp4', 'i.mp4'],
    ['.hidden', 'hidden'],
    ['a\r\nb%03d.mp4', 'a-b-03d.mp4'],
    ['🎬', 'video'],
    ['', 'video'],
  ])('%j is %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });

  test('keeps its extension when it is shortened', () => {
    const name = safeFileName(`${'x'.repeat(300)}.mp4`);
    expect(name).toHaveLength(100);
    expect(name.endsWith('.mp4')).toBe(true);
  });
});

describe('an upload', () => {
  test('is identified by its key', () => {
    expect(parseUploadKey(uploadKey(user, upload, 'a b.mp4'))).toEqual({ userUlid: user, uploadUlid: upload });
  });

  test.each([
    `videos/${user}/${upload}/x`,
    `uploads/${user}/${upload}`,
    `uploads/${user}/${upload}/a/b`,
    `uploads/x/${upload}/a`,
  ])('has no key like %s', (key) => {
    expect(parseUploadKey(key)).toBeUndefined();
  });
});
