import { describe, expect, test } from 'vitest';
import { renditionProperties } from '../../../../functions/job-results/packaged-track.ts';
import { audioGroups } from '../../../../functions/packaging/audio-groups.ts';
import { planAudio } from '../../../../functions/planning/audio/audio-plan.ts';
import { askedTracks, chosenAudio, requireTracks } from '../../../../functions/planning/audio/choose-tracks.ts';
import { planVideo } from '../../../../functions/planning/plan-video.ts';
import { audioChoices } from '../../../../functions/stream-edits/plan-track.ts';
import { tracksSchema } from '../../../../functions/templates/query-structure.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from '../source-fixture.ts';

const mono = (streamIndex: number, changes = {}) =>
  audioTrack({ streamIndex, codec: 'pcm_s24le', channels: 1, channelLayout: 'mono', language: 'und', ...changes });
const eight = Array.from({ length: 8 }, (_, n) => mono(n + 1, { isDefault: n === 3 }));
const settings = (audio: object[]) => tracksSchema.parse({ audio });

test('a probe is asked for each track once', () => {
  expect(askedTracks(undefined)).toBeUndefined();
  expect(askedTracks(tracksSchema.parse({}))).toBeUndefined();
  expect(askedTracks(tracksSchema.parse({ video: 0 }))).toEqual({ video: 0 });
  const audio = [
    { from: [3, 2], as: 'stereo' },
    { from: [2], as: 'mono' },
  ];
  expect(askedTracks(tracksSchema.parse({ video: 'auto', audio }))).toEqual({ audio: [3, 2] });
});

test('tracks are joined in the order of the template, and the first one is the default', () => {
  const chosen = chosenAudio(
    eight,
    settings([
      { from: [6, 5], as: 'stereo', language: 'de', name: 'Mix' },
      { from: [1, 2, 3, 4, 7, 8], as: '5.1' },
      { from: [4], as: 'mono' },
    ]),
  );
  expect(chosen).toMatchObject([
    {
      streamIndex: 6,
      joined: [6, 5],
      channels: 2,
      channelLayout: 'stereo',
      language: 'de',
      title: 'Mix',
      isDefault: true,
    },
    {
      streamIndex: 1,
      joined: [1, 2, 3, 4, 7, 8],
      channels: 6,
      channelLayout: '5.1',
      language: 'und',
      isDefault: false,
    },
    { streamIndex: 4, channels: 1, isDefault: false, chosen: { position: 2, maxChannels: 1 } },
  ]);
});

test('tracks that are made of the same ones of the file are different sounds, for players and for edits', () => {
  const chosen = chosenAudio(
    eight,
    settings([
      { from: [1, 2], as: 'stereo' },
      { from: [1, 1], as: 'stereo', language: 'de' },
    ]),
  );
  const entry = templateQuerySchema.parse({
    audio: [{ name: 'a', codec: 'aac', languages: 'all' }],
    outputs: [{ format: 'hls' }],
  }).audio[0]!;
  const tracks = planAudio(entry, chosen, new Set()).map(({ rendition }) => ({
    name: rendition.name,
    kind: 'audio' as const,
    codecs: 'mp4a.40.2',
    timescale: 48000,
    segments: [],
    ...renditionProperties({ ...rendition, segmentSeconds: 4 }),
  }));
  expect(audioGroups(tracks).map((group) => group.tracks.map(({ language }) => language))).toEqual([['und', 'de']]);
  const { sourceStreamIndex, chosenTrack } = tracks[1]!;
  expect(audioChoices({ sourceStreamIndex, chosenTrack }, chosen)).toEqual([chosen[1]]);
});

test('a joined track lasts from the first start to the last end', () => {
  const tracks = [mono(1, { startSeconds: 2, durationSeconds: 10 }), mono(2, { startSeconds: 0, durationSeconds: 9 })];
  expect(chosenAudio(tracks, settings([{ from: [1, 2], as: 'stereo' }]))).toMatchObject([
    { startSeconds: 0, durationSeconds: 12 },
  ]);
});

describe('a plan', () => {
  const streams = Array.from({ length: 9 }, (_, index) => ({ index, codec_type: index === 0 ? 'video' : 'audio' }));
  const planned = (tracks: object, changes = {}) => {
    const video = videoTrack({ frameCount: 60 });
    return planVideo({
      probe: { ...probeOf({ video, audio: eight, meta: { streams } }), ...changes },
      frames: evenIndex(video),
      query: templateQuerySchema.parse({
        audio: [{ name: 'a', codec: 'aac', languages: 'all', channels: 6 }],
        outputs: [{ format: 'hls' }],
        tracks,
      }),
      capacity: 1,
    });
  };

  test('has a rendition of each entry, in the channels that are asked for, and no decision about the others', () => {
    const { audio, decisions, warnings } = planned({
      audio: [
        { from: [1, 2, 3, 4, 5, 6], as: '5.1', language: 'en' },
        { from: [7, 8], as: 'mono', language: 'en' },
      ],
    });
    expect(audio.map(({ name, channels, joined }) => [name, channels, joined])).toEqual([
      ['a-en', 6, [1, 2, 3, 4, 5, 6]],
      ['a-en-2', 1, [7, 8]],
    ]);
    expect(decisions).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test.each<[object, object, string]>([
    [
      { audio: [{ from: [2, 12], as: 'stereo' }] },
      {},
      'The audio tracks of the file are 1, 2, 3, 4, 5, 6, 7, and 8, and track 12 is asked for. Choose another one, or leave it to the service.',
    ],
    [
      { audio: [{ from: [1], as: 'mono' }] },
      { audio: [], meta: { streams: streams.slice(0, 1) } },
      'The file has no audio track, and track 1 is asked for. Choose another one, or leave it to the service.',
    ],
    [
      { audio: [{ from: [2], as: 'mono' }] },
      { audio: eight.slice(0, 1), meta: { streams: streams.slice(0, 2) } },
      'The audio track of the file is 1, and track 2 is asked for. Choose another one, or leave it to the service.',
    ],
    [
      { audio: [{ from: [3], as: 'mono' }] },
      { audio: eight.slice(0, 2) },
      'Audio track 3 of the file cannot be decoded. Choose another one.',
    ],
  ])('of a file without the tracks %j is an error that says which there are', (tracks, changes, message) => {
    expect(() => planned(tracks, changes)).toThrow(expect.objectContaining({ code: 'INPUT_TRACK_MISSING', message }));
  });

  test('is not made of a clip in which a named track has no sound', () => {
    const clipped = {
      ...probeOf({ audio: eight.slice(0, 2), meta: { streams } }),
      part: { startSeconds: 0, endSeconds: 1, firstFrame: 0, soundFromSeconds: null },
    };
    expect(() => requireTracks(clipped, tracksSchema.parse({ audio: [{ from: [3], as: 'mono' }] }))).toThrow(
      'Audio track 3 of the file has no sound in the clip, or cannot be decoded. Choose another one.',
    );
  });

  test('is not made of another video track than the template names', () => {
    expect(() =>
      requireTracks(probeOf({ video: videoTrack({ frameCount: 2 }) }), tracksSchema.parse({ video: 3 })),
    ).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
