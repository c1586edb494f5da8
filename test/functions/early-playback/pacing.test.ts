import { describe, expect, test } from 'vitest';
import { extensionInterval, keepsAhead, releasedCount } from '../../../functions/early-playback/pacing.ts';

describe('an encoder keeps ahead of a viewer', () => {
  test.each([
    ['twice as fast as playback, from the first segment on', { frontierSeconds: 6, elapsedSeconds: 3 }, true],
    ['as fast as playback, without a reserve', { frontierSeconds: 6, elapsedSeconds: 6 }, false],
    ['slower than playback, but half of the video is encoded', { frontierSeconds: 300, elapsedSeconds: 450 }, true],
    ['slower than playback, at the beginning', { frontierSeconds: 60, elapsedSeconds: 90 }, false],
    ['at the end of the video, however long it took', { frontierSeconds: 600, elapsedSeconds: 9000 }, true],
    ['before the first segment', { frontierSeconds: 0, elapsedSeconds: 1 }, false],
  ])('%s', (_, pace, expected) => {
    expect(keepsAhead({ ...pace, durationSeconds: 600 })).toBe(expected);
  });

  test('whenever a viewer who starts then does not catch up at the same speed', () => {
    for (const speed of [0.3, 0.5, 0.8, 1, 1.5, 3]) {
      for (const frontierSeconds of [6, 60, 200, 400, 599]) {
        const pace = { frontierSeconds, elapsedSeconds: frontierSeconds / speed, durationSeconds: 600 };
        const endsAfterSeconds = (600 - frontierSeconds) / speed;
        // A viewer at second t needs the encoder behind it: the encoder ends before a viewer of the whole video does.
        if (keepsAhead(pace)) expect(endsAfterSeconds).toBeLessThanOrEqual(600);
        else expect(endsAfterSeconds * 1.25).toBeGreaterThan(600);
      }
    }
  });
});

describe('segments that are stored at once', () => {
  test('are listed over several extensions, so that the playlist keeps growing', () => {
    const steps: number[] = [];
    for (let stored = 20; stored > 0; stored -= steps.at(-1)!) steps.push(releasedCount(stored));
    expect(steps).toEqual([10, 5, 3, 2]);
  });

  test('are listed at once when they are few', () => {
    expect([0, 1, 2].map(releasedCount)).toEqual([0, 1, 2]);
  });
});

test('playlists are extended often until a player has buffered some segments', () => {
  expect([undefined, 0, 14_999, 15_000].map(extensionInterval)).toEqual([500, 1000, 1000, 4000]);
});
