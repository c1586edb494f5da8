import { describe, expect, test } from 'vitest';
import { applyEdits, type Edit, readEdits } from '../../../encoder-task/isobmff/edit-list.ts';
import { createSampleList, hiddenFlag, pushSample } from '../../../encoder-task/isobmff/sample-list.ts';
import type { SampleTable } from '../../../encoder-task/isobmff/sample-table.ts';

/** Samples of 10 ticks each; `keys` are the indexes of key samples. */
function tableOf(count: number, keys: number[], offsets?: number[]): SampleTable {
  const samples = createSampleList(count, { left: 1000 });
  for (let n = 0; n < count; n++) {
    const compositionOffset = offsets?.[n] ?? 0;
    const isKey = keys.includes(n);
    pushSample(samples, { position: n, bytes: 1, decodeTicks: 10 * n, compositionOffset, isKey, isHidden: false });
  }
  return { samples, shiftTicks: 0, durationTicks: 10 * count, hasOffsets: offsets !== undefined };
}

const edit = (mediaTime: number, segmentDuration: number): Edit => ({ mediaTime, segmentDuration });
const delay = (segmentDuration: number): Edit => edit(-1, segmentDuration);

/** Index of each sample at its decode time; hidden samples in parentheses. */
function applied(table: SampleTable, edits: Edit[], isAudio = false) {
  const { samples, durationTicks, editShifts } = applyEdits(table, edits, { isAudio, timescale: 20 });
  const lines = Array.from({ length: samples.length }, (_, n) => {
    const isHidden = (samples.flags[n]! & hiddenFlag) !== 0;
    const name = isHidden ? `(${samples.positions[n]})` : `${samples.positions[n]}`;
    return `${name} at ${samples.decodeTicks[n]}`;
  });
  return { lines, durationTicks, editShifts };
}

describe('the edit list of a video', () => {
  test('starts at its media time, with hidden samples from the last key sample before it', () => {
    expect(applied(tableOf(6, [0, 2, 4]), [edit(30, 20)])).toEqual({
      lines: ['(2) at -10', '3 at 0', '4 at 10'],
      durationTicks: 20,
      editShifts: [],
    });
  });

  test('is delayed by an empty edit', () => {
    expect(applied(tableOf(2, [0]), [delay(35), edit(0, 20)])).toEqual({
      lines: ['0 at 35', '1 at 45'],
      durationTicks: 55,
      editShifts: [],
    });
  });

  test('presents its edits one after another', () => {
    expect(applied(tableOf(6, [0, 1, 2, 3, 4, 5]), [edit(40, 20), edit(0, 20)]).lines).toEqual([
      '4 at 0',
      '5 at 10',
      '0 at 20',
      '1 at 30',
    ]);
  });

  test('ends with the second key sample after its end when frames are reordered, and hides what follows the end', () => {
    const reordered = tableOf(6, [0, 2, 4], [10, 10, 10, 10, 10, 10]);
    expect(applied(reordered, [edit(10, 20)]).lines).toEqual([
      '0 at -10',
      '1 at 0',
      '(2) at 10',
      '(3) at 20',
      '(4) at 30',
    ]);
  });

  test('without any presented sample hides all', () => {
    expect(applied(tableOf(3, [0]), [edit(500, 20)]).lines).toEqual(['(0) at 0', '(1) at 0', '(2) at 0']);
  });

  test('has shifts when an edit starts between frames, so that FFmpeg presents it late', () => {
    const { editShifts } = applied(tableOf(6, [0, 1, 2, 3, 4, 5]), [edit(0, 20), edit(35, 15)]);
    expect(editShifts).toEqual([
      { frames: 2, shiftTicks: 0 },
      { frames: 1, shiftTicks: 5 },
    ]);
  });
});

describe('the edit list of an audio track', () => {
  test('trims the sample in which it starts, and has one second of hidden samples for the decoder', () => {
    expect(applied(tableOf(8, [0, 1, 2, 3, 4, 5, 6, 7]), [edit(45, 20)], true).lines).toEqual([
      '(2) at -25',
      '(3) at -15',
      '4 at -5',
      '5 at 5',
      '6 at 15',
    ]);
  });
});

describe('an elst box', () => {
  const box = (count: number, ...numbers: number[]): Buffer => {
    const bytes = Buffer.alloc(8 + 4 * numbers.length);
    bytes.writeUInt32BE(count, 4);
    for (const [n, value] of numbers.entries()) bytes.writeInt32BE(value, 8 + 4 * n);
    return bytes;
  };

  test('has segment durations in the movie timescale and media times in that of the track', () => {
    expect(readEdits(box(2, 500, -1, 0x10000, 1000, 30, 0x10000), 1000, 25)).toEqual([delay(13), edit(30, 25)]);
    expect(readEdits(box(1, 1000, 30, 0x8000), 1000, 25)).toEqual([{ ...edit(30, 25), speed: 0.5 }]);
  });

  test.each([
    ['has a negative media time', box(1, 500, -2, 0x10000)],
    ['has more entries than data', box(2, 500, 0, 0x10000)],
    ['has less entries than data', box(0, 500, 0, 0x10000)],
  ])('throws when it %s', (_, bytes) => {
    expect(() => readEdits(bytes, 1000, 25)).toThrow(RangeError);
  });
});
