import { expect, test } from 'vitest';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { planStreamEdit } from '../../../functions/planning/plan-stream-edit.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { audioEntryOf, videoEntryOf } from '../../../functions/planning/single-track.ts';
import type { Stream, StreamEdit } from '../../../functions/table/records.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from './source-fixture.ts';

const source = videoTrack({ frameCount: 1800 });
const frames = evenIndex(source);
const probe = probeOf({
  video: source,
  audio: [audioTrack(), audioTrack({ streamIndex: 2, language: 'de', isDefault: false })],
});
const query = templateQuerySchema.parse({
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 6 }],
});
const base = planVideo({ probe, frames, query, capacity: 4 });
const known = [
  { ulid: 'A', track: 'v720', planNumber: 1, type: 'video', width: 1280, height: 720 },
  { ulid: 'B', track: 'stereo', planNumber: 1, type: 'audio', width: null, height: null },
] as Stream[];
const change = {
  videoUlid: 'V',
  planNumber: 2,
  action: 'encode',
  streamUlid: 'C',
  type: 'video',
  segmentSeconds: 6,
  replaced: null,
  outputs: ['H'],
} as unknown as StreamEdit;
const rung = (height: number) => videoEntryOf(`${height}p`, { codec: 'h264', height, bitrate: '800k' }, 2);
const planOf = (changes: Partial<StreamEdit>, streams: Stream[], outputs = base.outputs) =>
  planStreamEdit({ edit: { ...change, ...changes }, base, query, probe, frames, streams, waiting: [], outputs });
const added = (track: string, size: object = {}) =>
  ({ ulid: 'C', track, planNumber: 2, type: 'video', ...size }) as Stream;

test('an added rung has the segments and the clock of the others, and chunks of full length', () => {
  const plan = planOf({ entry: rung(360) }, [...known, added('360p')]);
  expect(plan.groups).toHaveLength(1);
  expect(plan.groups[0]?.grid).toEqual(base.groups[0]?.grid);
  expect(plan.groups[0]).toMatchObject({ phase: 1, chunks: [{ startFrame: 0, endFrame: 900 }, { endFrame: 1800 }] });
  expect(plan.starter).toBeNull();
  expect([plan.originSeconds, plan.durationSeconds]).toEqual([base.originSeconds, base.durationSeconds]);
  expect(plan.outputs[0]).toMatchObject({ video: ['v720', '360p'], audio: ['stereo'] });
  expect(plan.carried).toEqual({ v720: 1, stereo: 1 });
  expect(plan.audio).toEqual([]);
});

test('an added rung has the GOP that the others share with a slower one', () => {
  const video = [rung(720), { ...rung(360), fps: 12.5 }].map((entry) => ({ ...entry, gop: 1 }));
  const track = videoTrack({ frameCount: 250, averageFrameRate: { num: 25, den: 1 } });
  const of25 = { probe: probeOf({ video: track }), frames: evenIndex(track) };
  const outputs = [{ format: 'hls' }];
  const mixed = planVideo({ ...of25, query: templateQuerySchema.parse({ version: 1, video, outputs }), capacity: 4 });
  const edit = { ...change, entry: { ...rung(480), gop: 1 } };
  const rest = { query, streams: [added('480p')], waiting: [], outputs: mixed.outputs };
  const plan = planStreamEdit({ edit, base: mixed, ...of25, ...rest });
  const grid = mixed.groups.find(({ rungs }) => rungs[0]?.height === 720)?.grid;
  expect(plan.groups[0]?.grid).toEqual(grid);
});

test('a larger rung comes first, because players start with the first', () => {
  expect(planOf({ entry: rung(1080) }, [...known, added('1080p')]).outputs[0]?.video).toEqual(['1080p', 'v720']);
});

test('planning again after the output has the track gives the same plan', () => {
  const streams = [...known, added('360p', { width: 640, height: 360 })];
  const first = planOf({ entry: rung(360) }, streams);
  expect(planOf({ entry: rung(360) }, streams, first.outputs)).toEqual(first);
});

test('a re-encoded track replaces the old one; audio keeps its position', () => {
  const entry = audioEntryOf('audio-en', { codec: 'aac', bitrate: '64k' });
  const plan = planOf(
    { type: 'audio', streamUlid: 'B', entry, replaced: { planNumber: 1, track: 'stereo' } },
    [known[0]!, { ...known[1]!, track: 'audio-en', planNumber: 2 }],
    [{ ...base.outputs[0]!, audio: ['stereo', 'other'] }],
  );
  expect(plan.outputs[0]).toMatchObject({ video: ['v720'], audio: ['audio-en', 'other'] });
  expect(plan.audio).toMatchObject([{ name: 'audio-en', streamIndex: 1, bitrateBps: 64_000, segmentSeconds: 6 }]);
  expect(plan.groups).toEqual([]);
});

test('an added track covers what the others do, also where it is shorter or longer in the source', () => {
  const longer = { ...base, durationSeconds: 75 };
  const edit = (changes: Partial<StreamEdit>, track: Stream, of: Plan) =>
    planStreamEdit({
      edit: { ...change, ...changes },
      base: of,
      query,
      probe,
      frames,
      waiting: [],
      outputs: base.outputs,
      streams: [...known, track],
    });
  const rungOf = (of: Plan) => edit({ entry: rung(360) }, added('360p'), of);
  expect(rungOf(longer).groups[0]?.chunks.at(-1)).toMatchObject({ endFrame: 75 * 30 });
  expect(rungOf({ ...base, durationSeconds: 45 }).groups[0]?.chunks.at(-1)).toMatchObject({ endFrame: 45 * 30 });
  expect(rungOf({ ...base, originSeconds: -3 }).groups[0]?.chunks[0]).toMatchObject({ heldBefore: 90 });
  expect(rungOf(longer).durationSeconds).toBe(75);
});

test('removing a track does not change the others', () => {
  const plan = planOf({ action: 'remove', entry: null, replaced: { planNumber: 1, track: 'stereo' } }, [known[0]!]);
  expect(plan.outputs[0]).toMatchObject({ video: ['v720'], audio: [] });
  expect(plan.carried).toEqual({ v720: 1 });
  expect([plan.groups, plan.audio, plan.streams]).toEqual([[], [], []]);
});
