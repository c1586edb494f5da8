import { describe, expect, test } from 'vitest';
import type { Packet } from '../../../encoder-task/ffmpeg/ffprobe-args.ts';
import { createClockFollower } from '../../../encoder-task/probe/clock-sections.ts';

const [video, audio] = [0, 1];
const second = 90_000;
const frame = second / 25;

/** A packet of one frame and one kilobyte. */
const packet = (streamIndex: number, dts: number, position: number): Packet => ({
  streamIndex,
  dts,
  pts: dts + frame,
  durationTicks: frame,
  bytes: 1000,
  endByte: position + 1000,
  isKey: true,
  isPresented: true,
  isDamaged: false,
});

/** Alternating video and audio packets from a time and a file position on. */
const recording = (frames: number, startTicks: number, startByte: number): Packet[] =>
  Array.from({ length: frames }, (_, n) => [
    packet(video, startTicks + n * frame, startByte + n * 2000),
    packet(audio, startTicks + n * frame, startByte + n * 2000 + 1000),
  ]).flat();

function follow(packets: Packet[]) {
  const clock = createClockFollower(second);
  const followed = packets.map((each) => clock.follow(each));
  const timesOf = (stream: number) => followed.flatMap(({ streamIndex, dts }) => (streamIndex === stream ? [dts] : []));
  return { sections: clock.sections(), video: timesOf(video), audio: timesOf(audio) };
}
const even = (frames: number, startTicks: number) => Array.from({ length: frames }, (_, n) => startTicks + n * frame);

test('a continuous clock has no sections', () => {
  expect(follow(recording(50, 7 * second, 0))).toEqual({
    sections: [],
    video: even(50, 7 * second),
    audio: even(50, 7 * second),
  });
});

test('a new recording continues at the end of the previous one', () => {
  const { sections, ...times } = follow([...recording(50, second, 0), ...recording(50, second, 100_000)]);
  expect(sections).toEqual([{ fromByte: 100_000, shiftTicks: 2 * second }]);
  expect(times).toEqual({ video: even(100, second), audio: even(100, second) });
});

test('a jump of more than ten seconds is removed, a shorter one is a gap', () => {
  const jump = (seconds: number) => follow([...recording(50, 0, 0), ...recording(50, (2 + seconds) * second, 100_000)]);
  expect(jump(11).sections).toEqual([{ fromByte: 100_000, shiftTicks: -11 * second }]);
  expect(jump(9).sections).toEqual([]);
});

test('packets before the new recording in the file are not shifted, in any order of the demuxer', () => {
  const [before, after] = [recording(50, 0, 0), recording(50, 0, 100_000)];
  const late = before.splice(-1);
  const { sections, ...times } = follow([...before, ...after.slice(0, 3), ...late, ...after.slice(3)]);
  expect(sections).toEqual([{ fromByte: 100_000, shiftTicks: 2 * second }]);
  expect(times.audio.toSorted((a, b) => a - b)).toEqual(even(100, 0));
});

test('a section starts at its first packet in the file', () => {
  const [first, second_, ...rest] = recording(50, 0, 100_000);
  const { sections } = follow([...recording(50, 0, 0), second_!, first!, ...rest]);
  expect(sections).toEqual([{ fromByte: 100_000, shiftTicks: 2 * second }]);
});

describe('no section starts at', () => {
  test('audio after a long pause', () => {
    const packets = recording(1000, 0, 0);
    const paused = packets.filter(({ streamIndex, dts }) => streamIndex === video || dts < second || dts > 30 * second);
    expect(follow(paused).sections).toEqual([]);
  });

  test('a track that starts late, or at times that decrease a little', () => {
    const packets = recording(1000, 0, 0).filter(({ streamIndex, dts }) => streamIndex === video || dts > 30 * second);
    expect(follow(packets).sections).toEqual([]);
    expect(follow([packet(audio, second, 0), packet(audio, second - 2 * frame, 1000)]).sections).toEqual([]);
  });
});

test('after one wrong time the clock has its earlier shift', () => {
  const packets = recording(50, 0, 0);
  packets[40] = { ...packets[40]!, dts: 1e9, pts: 1e9 };
  const { sections, ...times } = follow(packets);
  expect(sections.map(({ shiftTicks }) => shiftTicks)).toEqual([20 * frame - 1e9, 0]);
  expect(times).toEqual({ video: even(50, 0), audio: even(50, 0) });
});

test('packets without a position are at the position of the last packet of their track', () => {
  const [first, second_, ...rest] = recording(50, 0, 100_000);
  const placeless = rest.map((each) => ({ ...each, endByte: 0 }));
  const { sections } = follow([...recording(50, 0, 0), first!, second_!, ...placeless]);
  expect(sections).toEqual([{ fromByte: 100_000, shiftTicks: 2 * second }]);
});

test('a clock that restarts too often is rejected with a hint', () => {
  const packets = Array.from({ length: 1100 }, (_, n) => recording(10, 0, n * 20_000)).flat();
  expect(() => follow(packets)).toThrow(
    expect.objectContaining({ code: 'INPUT_UNSUPPORTED', message: expect.stringContaining('more than 1000 times') }),
  );
});
