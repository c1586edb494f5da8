import { expect, test } from 'vitest';
import { failureOf } from '../../../../encoder-task/ffmpeg/output/failure.ts';
import { JobError } from '../../../../shared/protocol/job-errors.ts';

const codeOf = (stderrTail: string, readsSource: boolean): string =>
  failureOf(
    { exitCode: 1, stderrTail } as Parameters<typeof failureOf>[0],
    { readsSource },
    () => new JobError('ENCODER_FAILED', 'ffmpeg exited with 1'),
  ).code;

test.each([
  ['a missing index', '[mov,mp4,m4a,3gp,3g2,mj2 @ 0x1] moov atom not found\n', 'INPUT_TRUNCATED'],
  ['no frame, of ffmpeg 5', 'Cannot determine format of input stream 0:1 after EOF\n', 'INPUT_DAMAGED'],
  ['no frame, of ffmpeg 7', '[fc#0 @ 0x1] Cannot determine format of input 0:0 after EOF\n', 'INPUT_DAMAGED'],
  ['a frame above the maximum', '[hevc @ 0x1] Picture size 16384x16384 is invalid\n', 'INPUT_TOO_LARGE'],
])('the message about %s blames the source only when the run has read it', (_, message, code) => {
  expect(codeOf(message, true)).toBe(code);
  expect(codeOf(message, false)).toBe('ENCODER_FAILED');
});

test('a full disk and too little memory are named for every run, before faults of the source', () => {
  for (const readsSource of [true, false]) {
    expect(codeOf('av_interleaved_write_frame(): No space left on device\n', readsSource)).toBe('DISK_FULL');
    expect(codeOf('moov atom not found\nCannot allocate memory\n', readsSource)).toBe('MEMORY_LIMIT');
  }
});

test('a run without a known message has the other error', () => {
  expect(codeOf('Conversion failed!\n', true)).toBe('ENCODER_FAILED');
});
