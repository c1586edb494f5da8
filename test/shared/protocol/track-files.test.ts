import { describe, expect, test } from 'vitest';
import {
  encoderRuns,
  initFile,
  isOfFirstRun,
  segmentFile,
  segmentNumber,
  segmentPattern,
} from '../../../shared/protocol/track-files.ts';

describe('the files of the two runs of the encoder', () => {
  test('have different names', () => {
    expect(encoderRuns.map(initFile)).toEqual(['init.mp4', 'r2-init.mp4']);
    expect(encoderRuns.map((run) => segmentFile(12, run))).toEqual(['00012.m4s', 'r2-00012.m4s']);
    expect(encoderRuns.map(segmentPattern)).toEqual(['%05d.m4s', 'r2-%05d.m4s']);
  });

  test('are recognised by their names', () => {
    for (const run of encoderRuns) {
      for (const number of [0, 99_999, 123_456]) expect(segmentNumber(segmentFile(number, run), run)).toBe(number);
      const others = [segmentFile(3, run === 1 ? 2 : 1), initFile(run), '00001.m4s.tmp', 'list.m3u8'];
      expect(others.map((name) => segmentNumber(name, run))).toEqual(others.map(() => undefined));
    }
    const files = encoderRuns.flatMap((run) => [`v0/${initFile(run)}`, `r2-v/${segmentFile(3, run)}`]);
    expect(files.map(isOfFirstRun)).toEqual([true, true, false, false]);
  });
});
