import { describe, expect, test } from 'vitest';
import { createFieldFinder, readFields } from '../../../encoder-task/probe/field-pairs.ts';
import { createPacketIndex } from '../../../encoder-task/probe/packet-index.ts';
import { writeFieldPairs } from '../support/clips/field-pairs.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg, packetsOf } from '../support/ffmpeg.ts';
import { smallRung } from '../support/plan.ts';
import { encodeInChunks, joinRung, probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

describe('frames with two packets', () => {
  const framesOf = (pts: number[], frameTicks: number | null) => {
    const index = createPacketIndex(0, frameTicks);
    for (const [n, ticks] of pts.entries()) {
      const facts = { streamIndex: 0, dts: n, durationTicks: 20, bytes: 10, endByte: 10 * (n + 1), isDamaged: false };
      index.add({ ...facts, pts: ticks, isKey: n === 0, isPresented: true });
    }
    const { frames, listed, bytes } = index.finish().video;
    return { pts: [...frames.pts], ends: [...frames.endBytes], last: frames.lastDurationTicks, listed, bytes };
  };

  test('are single frames with the duration of both fields, and the end position of the second', () => {
    expect(framesOf([0, 20, 40, 60], 40)).toEqual({ pts: [0, 40], ends: [20, 40], last: 40, listed: 4, bytes: 40 });
  });

  test('are reordered like other frames', () => {
    expect(framesOf([0, 20, 120, 140, 40, 60, 80, 100], 40)).toMatchObject({ pts: [0, 40, 80, 120] });
  });

  test('can be mixed with frames of one packet', () => {
    expect(framesOf([0, 40, 60, 80, 160, 180, 120, 200], 40)).toMatchObject({ pts: [0, 40, 80, 120, 160, 200] });
  });

  test('are not assumed when frames are as close as packets', () => {
    expect(framesOf([0, 20, 40, 60], 20).pts).toEqual([0, 20, 40, 60]);
    expect(framesOf([0, 20, 40, 60], null).pts).toEqual([0, 20, 40, 60]);
  });

  test('have a second field half a frame later, except for rounding', () => {
    const isSecond = createFieldFinder(33);
    expect([0, 17, 33, 50, 67, 84].map(isSecond)).toEqual([false, true, false, true, false, true]);
  });
});

test('decoded frames show the shortest frame duration, in any order, and whether they are interlaced', () => {
  const frame = (pts: number | undefined, interlaced_frame = 0) => ({ best_effort_timestamp: pts, interlaced_frame });
  expect(readFields({ frames: [frame(0, 1), frame(80), frame(40), frame(undefined)] })).toEqual({
    interlaced: true,
    frameTicks: 40,
  });
  expect(readFields({ frames: [frame(7)] })).toEqual({ interlaced: false, frameTicks: null });
  expect(readFields({})).toEqual({ interlaced: false, frameTicks: null });
});

test.each([
  ['a transport stream', 'ts'],
  ['MP4 that was copied from one', 'mp4'],
])('H.264 of field pairs in %s is encoded frame by frame, without combing', async (_, container) => {
  const raw = files.path('fields.h264');
  const source = files.path(`fields.${container}`);
  await writeFieldPairs(raw, 250);
  await ffmpeg('-f', 'h264', '-framerate', '50', '-i', raw, '-c', 'copy', source);
  const probed = await probeFile(files.store, source);
  expect(probed.video).toMatchObject({
    interlaced: true,
    frameCount: 250,
    constantFrameRate: true,
    averageFrameRate: { num: 25, den: 1 },
  });
  const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')]);
  expect(encoded.results.length).toBeGreaterThan(1);
  expect(encoded.results.flatMap(({ warnings }) => warnings ?? [])).toEqual([]);
  const joined = files.path('joined.mp4');
  await joinRung(files.store, encoded, 'v0', joined);
  expect(await packetsOf(joined)).toHaveLength(250);
});
