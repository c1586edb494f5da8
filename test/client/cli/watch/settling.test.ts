import { expect, test } from 'vitest';
import { isSettled, lookAgain, type Sightings } from '../../../../client/cli/watch/settling.ts';

const file = { name: 'a.mp4', sizeBytes: 5, mtimeMs: 1, ino: 1 };

test('a file is settled when size and time stay the same for long enough', () => {
  let seen: Sightings = lookAgain(new Map(), [file], 1000);
  seen = lookAgain(seen, [file], 2000);
  expect(isSettled(seen.get('a.mp4')!, 5999, 5000)).toBe(false);
  expect(isSettled(seen.get('a.mp4')!, 6000, 5000)).toBe(true);
});

test('a change of size or time, and an absence, begin the wait anew', () => {
  const seen = lookAgain(new Map(), [file], 1000);
  expect(lookAgain(seen, [{ ...file, sizeBytes: 6 }], 2000).get('a.mp4')!.sinceMs).toBe(2000);
  expect(lookAgain(seen, [{ ...file, mtimeMs: 2 }], 2000).get('a.mp4')!.sinceMs).toBe(2000);
  expect(lookAgain(lookAgain(seen, [], 2000), [file], 3000).get('a.mp4')!.sinceMs).toBe(3000);
});
