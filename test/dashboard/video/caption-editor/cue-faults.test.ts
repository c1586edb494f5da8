import { expect, test } from 'vitest';
import { beginEdits, type EditedCue } from '../../../../dashboard/video/caption-editor/cue-edits.ts';
import {
  faultOfFile,
  faultsOf,
  fileOf,
  isSameFile,
  warningsOf,
} from '../../../../dashboard/video/caption-editor/cue-faults.ts';
import { parseCaptionText } from '../../../../shared/captions/parse-captions.ts';

const good: EditedCue = { id: 1, startMs: 0, endMs: 1000, settings: '', text: 'Hello' };

test.each([
  [{}, []],
  [{ startMs: Number.NaN }, ['noStart']],
  [{ endMs: Number.NaN }, ['noEnd']],
  [{ endMs: 0 }, ['endBeforeStart']],
  [{ endMs: 360_000_000 }, ['tooLate']],
  [{ text: ' \n' }, ['noText']],
  [{ text: '<font color="red"></font>' }, ['noText']],
] as const)('a cue with %o has the faults %o', (changes, faults) => {
  expect(faultsOf({ ...good, ...changes })).toEqual(faults);
});

test('a cue that is over the next one or behind the video is said', () => {
  const next = { ...good, startMs: 900 };
  expect(warningsOf(good, next, 5000)).toEqual(['overlaps']);
  expect(warningsOf({ ...good, startMs: 5000, endMs: 6000 }, undefined, 5000)).toEqual(['afterEnd']);
  expect(warningsOf(good, undefined, undefined)).toEqual([]);
});

test('what was read is written as it was, with settings, speakers, tags and escaped characters', () => {
  const file = `WEBVTT

00:00:01.000 --> 00:00:02.500 line:0 align:start
<v.loud Anna>Tom &amp; Jerry</v>
<i>second</i> line &lt;i&gt;

00:00:02.000 --> 01:00:04.000
1 &lt; 2
`;
  const written = fileOf(beginEdits(parseCaptionText(file, 'vtt')).cues);
  expect(written).toBe(file);
  expect(isSameFile(written, file.replaceAll('\n', '\r\n'))).toBe(true);
  expect(isSameFile(written, file.replace('second', 'third'))).toBe(false);
});

test('a file needs a cue, has at most 100,000 and 2 MiB', () => {
  expect(faultOfFile([], 'WEBVTT')).toBe('noCue');
  expect(faultOfFile([good], fileOf([good]))).toBeUndefined();
  expect(faultOfFile(Array<EditedCue>(100_001).fill(good), '')).toBe('tooManyCues');
  expect(faultOfFile([good], 'ä'.repeat(2 ** 20 + 1))).toBe('tooLarge');
});
