import { expect, test } from 'vitest';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { AudioTrack, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from './source-fixture.ts';

const v720 = { name: 'v720', codec: 'h264', width: 1280, height: 720, bitrate: '2800k' };
const v360 = { name: 'v360', codec: 'h264', width: 640, height: 360, bitrate: '800k' };
const stereo = { name: 'stereo', codec: 'aac' };

/** So little that the starter is encoded alone over the whole length. */
const capacity = 0.1;

function plan(query: object, video: VideoTrack | null, audio: AudioTrack[] = []) {
  const frames = video && evenIndex(video);
  return planVideo({ probe: probeOf({ video, audio }), frames, query: templateQuerySchema.parse(query), capacity });
}

const minute = videoTrack({ frameCount: 1800 });
const names = (entries: { name: string }[]) => entries.map(({ name }) => name);

test('rungs of 25 and of 12.5 fps have GOPs and segments of the same length', () => {
  const at25 = videoTrack({ frameCount: 250, averageFrameRate: { num: 25, den: 1 } });
  const video = [v720, { ...v360, fps: 12.5 }].map((entry) => ({ ...entry, gop: 1 }));
  const { groups } = plan({ video, outputs: [{ format: 'hls', segment_duration: 3 }] }, at25);
  const lengths = groups.map(({ grid: { frameRate, gopFrames, segmentFrames } }) => [
    (gopFrames * frameRate.den) / frameRate.num,
    (segmentFrames * frameRate.den) / frameRate.num,
  ]);
  // 13 frames of 12.5 fps
  expect(lengths).toEqual([
    [1.04, 3.12],
    [1.04, 3.12],
  ]);
});

test('a last segment as short as the delay of reordered frames has one more, where frames are reordered', () => {
  const framesOf = (frameCount: number, entry: object): number => {
    const { groups } = plan(
      { video: [{ ...v360, ...entry }], outputs: [{ format: 'hls' }] },
      videoTrack({ frameCount }),
    );
    return groups[0]!.chunks.at(-1)!.endFrame;
  };
  // segments have 180 frames
  expect([361, 362, 363].map((frameCount) => framesOf(frameCount, {}))).toEqual([361, 363, 363]);
  expect([2, 182].map((frameCount) => framesOf(frameCount, { codec: 'hevc' }))).toEqual([2, 183]);
  expect(framesOf(362, { codec: 'vp9' })).toBe(362);
});

test('of fixed rungs and stereo for one HLS output, the small rung is encoded first, in chunks that grow', () => {
  const grid = {
    mode: 'passthrough',
    frameRate: { num: 30, den: 1 },
    timescale: 30_000,
    ticksPerFrame: 1000,
    startTicks: 0,
    sourceStartSeconds: 0,
    gopFrames: 60,
    segmentFrames: 180,
  };
  const query = { video: [v720, v360], audio: [stereo], outputs: [{ format: 'hls' }] };
  expect(plan(query, minute, [audioTrack()])).toEqual({
    originSeconds: 0,
    durationSeconds: 60,
    aspectRatio: '16:9',
    source: {
      streamIndex: 0,
      formatName: 'mov,mp4,m4a,3gp,3g2,mj2',
      timeBase: { num: 1, den: 15360 },
      displayWidth: 1920,
      displayHeight: 1080,
      interlaced: false,
      bitDepth: 8,
      colorPrimaries: 'bt709',
      colorTransfer: 'bt709',
      colorSpace: 'bt709',
      colorRange: 'tv',
      hdr10: null,
    },
    starter: { rung: 'v360' },
    groups: [
      {
        index: 0,
        phase: 0,
        grid,
        rungs: [
          {
            name: 'v360',
            codec: 'h264',
            width: 640,
            height: 360,
            crop: null,
            pad: null,
            rate: {
              mode: 'bitrate',
              bitrateBps: 800_000,
              maxBitrateBps: 1_200_000,
              bufferBits: 1_600_000,
              twoPass: false,
            },
            profile: null,
            level: null,
            preset: 'medium',
            pixelFormat: 'yuv420p',
          },
        ],
        chunks: [
          {
            index: 0,
            startFrame: 0,
            endFrame: 180,
            startPts: 0,
            endPts: 92160 - 256,
            seekSeconds: null,
            untilByte: 181000,
          },
          {
            index: 1,
            startFrame: 180,
            endFrame: 540,
            startPts: 92160 - 256,
            endPts: 276480 - 256,
            seekSeconds: 6 + 1 / 120,
            untilByte: 541000,
          },
          {
            index: 2,
            startFrame: 540,
            endFrame: 1260,
            startPts: 276480 - 256,
            endPts: 645120 - 256,
            seekSeconds: 18 + 1 / 120,
            untilByte: 1261000,
          },
          {
            index: 3,
            startFrame: 1260,
            endFrame: 1800,
            startPts: 645120 - 256,
            endPts: 921600,
            seekSeconds: 42 + 1 / 120,
            untilByte: null,
          },
        ],
      },
      {
        index: 1,
        phase: 1,
        grid,
        rungs: [
          {
            name: 'v720',
            codec: 'h264',
            width: 1280,
            height: 720,
            crop: null,
            pad: null,
            rate: {
              mode: 'bitrate',
              bitrateBps: 2_800_000,
              maxBitrateBps: 4_200_000,
              bufferBits: 5_600_000,
              twoPass: false,
            },
            profile: null,
            level: null,
            preset: 'medium',
            pixelFormat: 'yuv420p',
          },
        ],
        chunks: [
          {
            index: 0,
            startFrame: 0,
            endFrame: 900,
            startPts: 0,
            endPts: 460800 - 256,
            seekSeconds: null,
            untilByte: 901000,
          },
          {
            index: 1,
            startFrame: 900,
            endFrame: 1800,
            startPts: 460800 - 256,
            endPts: 921600,
            seekSeconds: 30 + 1 / 120,
            untilByte: null,
          },
        ],
      },
    ],
    audio: [
      {
        name: 'stereo',
        streamIndex: 1,
        codec: 'aac',
        bitrateBps: 128_000,
        channels: 2,
        sampleRateHz: 48_000,
        language: 'en',
        loudnessLufs: null,
        segmentSeconds: 6,
      },
    ],
    streams: [
      {
        name: 'v720',
        type: 'video',
        inputParams: { codec: 'h264', width: 1280, height: 720, bitrate: '2800k', preset: 'medium', gop: 2 },
        width: 1280,
        height: 720,
        language: null,
        channels: null,
      },
      {
        name: 'v360',
        type: 'video',
        inputParams: { codec: 'h264', width: 640, height: 360, bitrate: '800k', preset: 'medium', gop: 2 },
        width: 640,
        height: 360,
        language: null,
        channels: null,
      },
      {
        name: 'stereo',
        type: 'audio',
        inputParams: { codec: 'aac', bitrate: '128k', channels: 2, sample_rate: 48_000, language: 'en' },
        width: null,
        height: null,
        language: 'en',
        channels: 2,
      },
    ],
    outputs: [
      {
        name: 'hls',
        format: 'hls',
        container: 'fmp4',
        video: ['v720', 'v360'],
        audio: ['stereo'],
        segmentSeconds: 6,
        faststart: true,
        error: null,
      },
    ],
    thumbnails: null,
    captions: [],
    warnings: [],
    decisions: [],
    carried: {},
  });
});

test('the output clock starts with the earliest track, and video that starts later is held from there', () => {
  const query = { video: [v720], audio: [stereo], outputs: [{ format: 'hls' }] };
  const late = videoTrack({ frameCount: 1800, startPts: 15360 * 5 });
  const { originSeconds, durationSeconds, groups } = plan(query, late, [audioTrack({ startSeconds: 4.49 })]);
  expect(originSeconds).toBe(4.49);
  // 15 frames of 1/30 s; the rest, less than a frame, is an offset
  expect(groups[0]?.grid).toMatchObject({ startTicks: 300, sourceStartSeconds: 4.5 });
  expect(groups[0]?.chunks[0]).toMatchObject({ heldBefore: 15 });
  expect(durationSeconds).toBeCloseTo(60.51, 9);
});

test('every track lasts until the end of the longest, and what is added is said', () => {
  const query = { video: [v720], audio: [{ ...stereo, languages: 'all' }], outputs: [{ format: 'hls' }] };
  const made = plan(query, minute, [
    audioTrack({ durationSeconds: 6 }),
    audioTrack({ streamIndex: 2, language: 'de', isDefault: false, durationSeconds: 6 }),
    audioTrack({ streamIndex: 3, language: 'fr', isDefault: false, startSeconds: 0.5, durationSeconds: 60.5 }),
  ]);
  expect(made.durationSeconds).toBe(61);
  expect(made.groups[0]?.chunks.at(-1)).toMatchObject({ endFrame: 1830 });
  expect(made.decisions).toEqual([
    {
      code: 'track_extended',
      message: 'The video ends 1.0 s before the audio of stream 3: its last picture is held.',
      facts: { track: 'video', streams: [0], side: 'end', seconds: 1 },
    },
    {
      code: 'track_extended',
      message: 'The audio of streams 1, 2 ends 55.0 s before the audio of stream 3: it continues with silence.',
      facts: { track: 'audio', streams: [1, 2], side: 'end', seconds: 55 },
    },
    {
      code: 'track_extended',
      message: 'The audio of stream 3 starts 0.5 s after the video: it begins with silence.',
      facts: { track: 'audio', streams: [3], side: 'start', seconds: 0.5 },
    },
  ]);
  expect(made.warnings).toEqual([made.decisions![1]!.message]);
});

test.each<[string, VideoTrack, Partial<AudioTrack>, string[]]>([
  [
    'ends early',
    minute,
    { durationSeconds: 6 },
    ['The audio ends 54.0 s before the video: it continues with silence.'],
  ],
  [
    'starts late',
    minute,
    { startSeconds: 12, durationSeconds: 48 },
    ['The audio starts 12.0 s after the video: it begins with silence.'],
  ],
  [
    'is longer',
    minute,
    { durationSeconds: 120 },
    ['The video ends 60.0 s before the audio: its last picture is held.'],
  ],
  ['is of about the same length', minute, { startSeconds: 0.05, durationSeconds: 60 }, []],
])('audio that %s', (_, video, audio, messages) => {
  const query = { video: [v720], audio: [stereo], outputs: [{ format: 'hls' }] };
  const { decisions, warnings } = plan(query, video, [audioTrack(audio)]);
  expect(decisions?.map(({ message }) => message)).toEqual(messages);
  expect(warnings).toEqual(messages);
});

test('a cover with sound is one frame a second, as long as the sound', () => {
  const query = { video: [v720], audio: [stereo], outputs: [{ format: 'hls' }], thumbnails: { poster: {} } };
  const cover = videoTrack({ frameCount: 1, averageFrameRate: { num: 25, den: 1 } });
  const { groups, decisions, warnings, thumbnails } = plan(query, cover, [audioTrack({ durationSeconds: 600.4 })]);
  expect(groups[0]?.grid).toMatchObject({ frameRate: { num: 1, den: 1 }, gopFrames: 2, segmentFrames: 6 });
  expect(groups[0]?.chunks).toMatchObject([{ startFrame: 0, endFrame: 600, pictures: 1 }]);
  expect(decisions).toMatchObject([{ code: 'track_extended', facts: { track: 'video', side: 'end' } }]);
  expect(warnings).toHaveLength(1);
  expect(thumbnails).toMatchObject({ poster: { atSeconds: 0 } });
});

test('a source whose audio starts later starts with the video', () => {
  const query = { video: [v720], audio: [stereo], outputs: [{ format: 'hls' }] };
  const { originSeconds, groups } = plan(query, minute, [audioTrack({ startSeconds: 2 })]);
  expect(originSeconds).toBe(0);
  expect(groups[0]?.grid.startTicks).toBe(0);
});

test('a track that no output uses does not move the clock', () => {
  const query = {
    video: [v720],
    audio: [stereo],
    outputs: [
      { format: 'mp4', audio: [] },
      { format: 'mp4', video: [] },
    ],
  };
  const tracks = [audioTrack({ startSeconds: 1 }), audioTrack({ streamIndex: 2, isDefault: false, startSeconds: -3 })];
  expect(plan(query, minute, tracks).originSeconds).toBe(0);
});

test('audio is left out for a source without audio, and an audio-only output fails with the reason', () => {
  const query = {
    video: [v720],
    audio: [stereo],
    outputs: [{ format: 'hls' }, { format: 'mp4', name: 'podcast', video: [] }],
  };
  const { streams, outputs, warnings } = plan(query, minute);
  expect(names(streams)).toEqual(['v720']);
  expect(outputs).toMatchObject([
    { name: 'hls', video: ['v720'], audio: [], error: null },
    { name: 'podcast', video: [], audio: [], error: 'source has no audio' },
  ]);
  expect(warnings).toEqual(['The source has no audio: audio streams are left out.']);
  const meta = { streams: [{ index: 1, codec_type: 'audio' }] };
  const undecodable = planVideo({
    probe: probeOf({ video: minute, meta }),
    frames: evenIndex(minute),
    query: templateQuerySchema.parse(query),
    capacity: 2,
  });
  expect(undecodable.warnings).toEqual(['The source has no audio that can be used: audio streams are left out.']);
});

test('a source of which nothing is encoded keeps its duration', () => {
  const query = templateQuerySchema.parse({
    audio: [{ name: 'talk', codec: 'aac', bitrate: '64k' }],
    outputs: [{ format: 'hls' }],
  });
  const track = videoTrack({ frameCount: 1800 });
  const probe = probeOf({ video: track, durationSeconds: 60 });
  expect(planVideo({ probe, frames: evenIndex(track), query, capacity })).toMatchObject({
    durationSeconds: 60,
    streams: [],
    outputs: [{ error: 'source has no audio' }],
  });
});

test('video is left out for an audio file, and its outputs keep the audio', () => {
  const query = {
    ladder: { codec: 'h264' },
    audio: [stereo],
    outputs: [{ format: 'hls' }, { format: 'dash', audio: [] }],
    thumbnails: { poster: {} },
  };
  expect(plan(query, null, [audioTrack({ startSeconds: 0.5, durationSeconds: 10 })])).toMatchObject({
    originSeconds: 0.5,
    durationSeconds: 10,
    aspectRatio: null,
    source: null,
    groups: [],
    streams: [{ name: 'stereo' }],
    outputs: [
      { name: 'hls', audio: ['stereo'], error: null },
      { name: 'dash', error: 'source has no video' },
    ],
    thumbnails: null,
    captions: [],
  });
});

test('streams that several outputs use are encoded once', () => {
  const query = { video: [v720, v360], audio: [stereo], outputs: [{ format: 'hls' }, { format: 'dash' }] };
  const { groups, streams, outputs } = plan(query, minute, [audioTrack()]);
  expect(groups.map(({ rungs }) => names(rungs))).toEqual([['v360'], ['v720']]);
  expect(names(streams)).toEqual(['v720', 'v360', 'stereo']);
  expect(outputs[1]).toMatchObject({ name: 'dash', video: ['v720', 'v360'], audio: ['stereo'] });
});

test('outputs with different segment lengths have separate streams', () => {
  const query = {
    video: [v720],
    audio: [stereo],
    outputs: [{ format: 'hls' }, { format: 'dash', segment_duration: 4 }, { format: 'mp4' }],
  };
  const { groups, audio, outputs } = plan(query, minute, [audioTrack()]);
  expect(groups.map(({ grid, rungs }) => [grid.segmentFrames, names(rungs)])).toEqual([
    [180, ['v720']],
    [120, ['v720-4s']],
  ]);
  expect(audio.map(({ name, segmentSeconds }) => [name, segmentSeconds])).toEqual([
    ['stereo', 6],
    ['stereo-4s', 4],
  ]);
  expect(outputs.map(({ video, audio: sound, segmentSeconds }) => [...video, ...sound, segmentSeconds])).toEqual([
    ['v720', 'stereo', 6],
    ['v720-4s', 'stereo-4s', 4],
    ['v720', 'stereo', 6],
  ]);
});

test('an mp4 of a ladder uses the top rung and the default track, and nothing else is encoded for it', () => {
  const query = {
    ladder: { codec: 'h264' },
    audio: [{ ...stereo, languages: 'all' }],
    outputs: [{ format: 'mp4' }],
  };
  const tracks = [audioTrack({ language: 'de', isDefault: false }), audioTrack({ streamIndex: 2, language: 'fr' })];
  const { streams, outputs } = plan(query, minute, tracks);
  expect(names(streams)).toEqual(['1080p', 'stereo-fr']);
  expect(outputs[0]).toMatchObject({ container: 'mp4', video: ['1080p'], audio: ['stereo-fr'], faststart: true });
});

test('an output that names a rung merged for a small source gets the remaining rung', () => {
  const query = {
    video: [v720, { ...v720, name: 'v1080', width: 1920, height: 1080, bitrate: '5000k' }],
    outputs: [
      { format: 'hls', name: 'high', video: ['v1080'] },
      { format: 'hls', name: 'low', video: ['v720'] },
    ],
  };
  const small = videoTrack({ frameCount: 300, width: 1280, height: 720 });
  const { streams, outputs, warnings } = plan(query, small);
  expect(names(streams)).toEqual(['v720']);
  expect(outputs.map(({ video }) => video)).toEqual([['v720'], ['v720']]);
  expect(warnings).toEqual(['v1080 is left out: for this source it is identical to v720.']);
});

test('rungs with another frame rate or GOP are a separate group', () => {
  const query = {
    video: [
      { ...v720, fps: 60 },
      { ...v360, fps: 30 },
      { ...v360, name: 'tall', gop: 3 },
    ],
    outputs: [
      { format: 'hls', video: ['v720', 'v360'] },
      { format: 'hls', video: ['tall'] },
    ],
  };
  const fast = videoTrack({ frameCount: 3600, averageFrameRate: { num: 60, den: 1 } });
  const { groups } = plan(query, fast);
  expect(groups.map(({ grid, rungs }) => [grid.mode, grid.gopFrames, names(rungs)])).toEqual([
    ['grid', 60, ['v360']],
    ['passthrough', 120, ['v720']],
    ['passthrough', 180, ['tall']],
  ]);
  expect(groups.map(({ chunks }) => chunks.at(-1)?.endFrame)).toEqual([1800, 3600, 3600]);
});

test('outputs without names are named by format', () => {
  const query = {
    video: [v720],
    outputs: [{ format: 'hls' }, { format: 'hls' }, { format: 'mp4', name: 'hls-2' }, { format: 'mp4' }],
  };
  expect(names(plan(query, minute).outputs)).toEqual(['hls', 'hls-3', 'hls-2', 'mp4']);
});

test('a file whose header claims 143,165 s is planned from its packets', () => {
  const track = videoTrack({ frameCount: 90 });
  const probe = probeOf({ video: track, durationSeconds: 143_165 });
  const query = templateQuerySchema.parse({ video: [v720], outputs: [{ format: 'hls' }] });
  const { durationSeconds, groups } = planVideo({ probe, frames: evenIndex(track), query, capacity });
  expect(durationSeconds).toBe(3);
  expect(groups[0]?.chunks).toHaveLength(1);
});

test('a source too long for one playlist is refused with the maximum length', () => {
  const query = { audio: [stereo], outputs: [{ format: 'hls', segment_duration: 1 }] };
  expect(() => plan(query, null, [audioTrack({ durationSeconds: 30_000 })])).toThrow(
    expect.objectContaining({
      code: 'INPUT_TOO_LARGE',
      message: 'The source is longer than the 5 hours that segments of 1 s allow.',
    }),
  );
});

test('sixty-four tracks with sixteen audio entries are refused', () => {
  const audio = Array.from({ length: 16 }, (_, index) => ({ ...stereo, name: `a${index}`, languages: 'all' }));
  const tracks = Array.from({ length: 64 }, (_, streamIndex) => audioTrack({ streamIndex }));
  expect(() => plan({ audio, outputs: [{ format: 'hls' }] }, null, tracks)).toThrow(
    expect.objectContaining({ code: 'INPUT_TOO_LARGE' }),
  );
});

test('planning without a matching frame index is an internal error', () => {
  const query = templateQuerySchema.parse({ video: [v720], outputs: [{ format: 'hls' }] });
  expect(() => planVideo({ probe: probeOf({ video: minute }), frames: null, query, capacity })).toThrow(
    expect.objectContaining({ code: 'INTERNAL' }),
  );
});
