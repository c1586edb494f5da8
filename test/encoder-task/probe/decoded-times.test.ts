import { expect, test } from 'vitest';
import type { Packet } from '../../../encoder-task/ffmpeg/ffprobe-args.ts';
import { addUntimedFrames, timePackets } from '../../../encoder-task/probe/decoded-times.ts';

const stream = (codec_name: string, has_b_frames: number) => ({ index: 0, codec_name, has_b_frames });

/** Packets from `[pts, dts]`; without a presentation time, `pts` is null. */
function timed(formatName: string, video: ReturnType<typeof stream>, times: [pts: number | null, dts: number][]) {
  const packets: Packet[] = [];
  const timer = timePackets(formatName, video, (packet) => packets.push(packet));
  for (const [n, [pts, dts]] of times.entries()) {
    timer.add({
      streamIndex: 0,
      pts: pts ?? dts,
      dts,
      durationTicks: 1,
      bytes: 10,
      endByte: 10 * (n + 1),
      isKey: n === 0,
      isPresented: true,
      isDamaged: false,
      ...(pts === null && { isTimedByDecoding: true as const }),
    });
  }
  timer.end();
  return packets.map(({ pts, isKey, endByte }) => [pts, isKey, endByte]);
}

test('in an AVI with B-frames, a reference frame is presented when the decoder gets the next one', () => {
  // as decoded: I0 P3 B1 B2 P5 B4, with an empty entry of the index before the last two
  expect(
    timed('avi', stream('mpeg4', 1), [
      [null, 0],
      [null, 1],
      [2, 2],
      [3, 3],
      [null, 5],
      [6, 6],
    ]),
  ).toEqual([
    [1, true, 20],
    [2, false, 30],
    [3, false, 40],
    [5, false, 50],
    [6, false, 60],
    [7, false, 60],
  ]);
});

test('in an AVI with H.264, each frame has the time of a later packet, by the delay of the decoder', () => {
  const packets = [0, 1, 2, 3].map((dts): [null, number] => [null, dts]);
  expect(timed('avi', stream('h264', 2), packets).map(([pts]) => pts)).toEqual([2, 3, 4, 5]);
  expect(timed('avi', stream('h264', 0), packets).map(([pts]) => pts)).toEqual([0, 1, 2, 3]);
});

test('in MPEG-PS, frames follow one after another where some of their decode times are off', () => {
  const times = (dts: number[]) => dts.map((one): [number, number] => [one, one]);
  const pts = (dts: number[]) => timed('mpeg', stream('mpeg2video', 1), times(dts)).map(([first]) => first);
  expect(pts([0, 1, 2, 3, 2, 3, 4, 7, 8])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(pts([0, 1, 2, 4, 5, 5, 6])).toEqual([0, 1, 2, 3, 4, 5, 6]);
  // missing frames, at once or after some that would have been off
  expect(pts([0, 1, 2, 9, 10])).toEqual([0, 1, 2, 9, 10]);
  const afterGap = Array.from({ length: 20 }, (_, n) => n + 3);
  expect(pts([0, 1, ...afterGap])).toEqual([0, 1, ...afterGap.map((time, n) => (n < 16 ? time - 1 : time))]);
  // a clock that starts again
  expect(pts([100, 101, 102, 0, 1])).toEqual([100, 101, 102, 0, 1]);
});

test('reference frames of MPEG-2 without a presentation time are no repetitions of the frames before', () => {
  expect(
    timed('mpegts', stream('mpeg2video', 1), [
      [1, 0],
      [null, 1],
      [2, 2],
      [3, 3],
      [7, 4],
      [5, 5],
      [6, 6],
    ]).map(([pts]) => pts),
  ).toEqual([1, 2, 3, 4, 7, 5, 6]);
});

const frames = (pts: number[]) => ({
  pts: Float64Array.from(pts),
  isKey: Uint8Array.from(pts, (_, n) => (n === 0 ? 1 : 0)),
  endBytes: Float64Array.from(pts, (_, n) => 100 * (n + 1)),
  lastDurationTicks: 10,
});
const withUntimed = (pts: number[], untimed: object, firstPts?: number) => {
  const counts = { leading: 0, inner: 0, trailing: 0, ...untimed };
  return [...addUntimedFrames(frames(pts), counts, { frameTicks: 10, firstPts }).pts];
};

test('frames of packets without a time are in the gaps between the others, and no more of them than packets', () => {
  expect(withUntimed([0, 20, 40, 70], { inner: 4 })).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
  expect(withUntimed([0, 20, 40, 70], { inner: 1 })).toEqual([0, 10, 20, 40, 70]);
  expect(withUntimed([0, 20, 40], {})).toEqual([0, 20, 40]);
  expect(withUntimed([0, 10, 20], { inner: 3 })).toEqual([0, 10, 20]);
});

test('the last packet without a time may be before or after the last frame with one', () => {
  expect(withUntimed([0, 20, 30], { trailing: 1 })).toEqual([0, 10, 20, 30]);
  expect(withUntimed([0, 10, 20], { trailing: 1 })).toEqual([0, 10, 20, 30]);
});

test('the first frame is added where the decoder returns it, as a key frame', () => {
  expect(withUntimed([10, 20], { leading: 1 }, 0)).toEqual([0, 10, 20]);
  expect(withUntimed([20, 30], { leading: 2 }, 0)).toEqual([0, 10, 20, 30]);
  // the start of a frame whose beginning was cut off
  expect(withUntimed([10, 40], { leading: 1 }, 10)).toEqual([10, 40]);
  const { isKey } = addUntimedFrames(
    frames([10]),
    { leading: 1, inner: 0, trailing: 0 },
    { frameTicks: 10, firstPts: 0 },
  );
  expect([...isKey]).toEqual([1, 1]);
});
