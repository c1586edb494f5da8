import { expect, test } from 'vitest';
import { z } from 'zod';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { templatesConfig } from '../../../functions/templates/templates-config.ts';

const v720 = { name: 'v720', codec: 'h264', width: 1280, height: 720, bitrate: '2800k' };
const v360 = { name: 'v360', codec: 'h264', width: 640, height: 360, crf: 24 };
const stereo = { name: 'stereo', codec: 'aac' };
const opus = { name: 'opus', codec: 'opus' };
const hls = { format: 'hls' };
const ladder = { codec: 'h264' };

/** Paths of the issues, each with the first words of its message. */
const issuesOf = (query: unknown): string[] => {
  const { error } = templateQuerySchema.safeParse(query);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
};
const pathsOf = (query: unknown): string[] => issuesOf(query).map((issue) => issue.slice(0, issue.indexOf(':')));

test('a query with one ladder and one output gets all defaults', () => {
  expect(templateQuerySchema.parse({ ladder, audio: [stereo], outputs: [hls] })).toEqual({
    version: 1,
    ladder: { codec: 'h264', max_height: 1080, min_height: 240, max_renditions: 5, gop: 2, preset: 'medium' },
    video: [],
    audio: [
      {
        name: 'stereo',
        codec: 'aac',
        bitrate: '128k',
        channels: 2,
        sample_rate: 48000,
        languages: 'default',
        loudness: null,
      },
    ],
    outputs: [{ format: 'hls', video: '*', audio: '*' }],
    chunk_duration: 30,
  });
});

test.each<[string, unknown, string[]]>([
  ['no outputs', { video: [v720] }, ['outputs']],
  ['an empty list of outputs', { video: [v720], outputs: [] }, ['outputs']],
  ['nine outputs', { ladder, outputs: Array(9).fill(hls) }, ['outputs']],
  ['a ladder and video', { ladder, video: [v720], outputs: [hls] }, ['video']],
  ['another version', { version: 2, ladder, outputs: [hls] }, ['version']],
  ['an unknown key', { ladder, outputs: [{ ...hls, url: 'x' }] }, ['outputs.0']],
  ['an unknown codec', { video: [{ ...v720, codec: 'mpeg2' }], outputs: [hls] }, ['video.0.codec']],
  ['an odd width', { video: [{ ...v720, width: 1281 }], outputs: [hls] }, ['video.0.width']],
  ['a bitrate with a unit', { video: [{ ...v720, bitrate: '5Mbit' }], outputs: [hls] }, ['video.0.bitrate']],
  ['a name with a slash', { video: [{ ...v720, name: '../x' }], outputs: [hls] }, ['video.0.name']],
  ['a frame rate of 0', { video: [{ ...v720, fps: 0 }], outputs: [hls] }, ['video.0.fps']],
  ['a frame rate that no table can store', { video: [{ ...v720, fps: 1e-320 }], outputs: [hls] }, ['video.0.fps']],
  ['three channels', { audio: [{ ...stereo, channels: 3 }], outputs: [hls] }, ['audio.0.channels']],
  ['a language twice', { audio: [{ ...stereo, languages: ['en', 'en'] }], outputs: [hls] }, ['audio.0.languages']],
  [
    'a time that no table can store',
    { ladder, outputs: [hls], watermark: { image: '01K9Z3P6M8N9P0Q1R2S3T4V5W6', from_seconds: 1e-200 } },
    ['watermark.from_seconds'],
  ],
  ['a chunk of 3 s', { ladder, outputs: [hls], chunk_duration: 3 }, ['chunk_duration']],
  ['upscaling', { ladder, outputs: [hls], scaling: { upscale: true } }, ['scaling.upscale']],
  ['images without times', { ladder, outputs: [hls], thumbnails: { images: { width: 320 } } }, ['thumbnails.images']],
  [
    'images with two kinds of times',
    { ladder, outputs: [hls], thumbnails: { images: { count: 2, interval: 2 } } },
    ['thumbnails.images'],
  ],
  ['too many images', { ladder, outputs: [hls], thumbnails: { images: { count: 21 } } }, ['thumbnails.images.count']],
  [
    'a preview of 2 seconds',
    { ladder, outputs: [hls], thumbnails: { preview: { seconds: 2 } } },
    ['thumbnails.preview.seconds'],
  ],
  [
    'a poster after the end',
    { ladder, outputs: [hls], thumbnails: { poster: { at: '101%' } } },
    ['thumbnails.poster.at'],
  ],
  ['a turn by 45 degrees', { ladder, outputs: [hls], picture: { rotate: 45 } }, ['picture.rotate']],
  ['a flip of both kinds', { ladder, outputs: [hls], picture: { flip: 'both' } }, ['picture.flip']],
  ['a crop of half a pixel', { ladder, outputs: [hls], picture: { crop: { top: 0.5 } } }, ['picture.crop.top']],
  ['a crop with a unit', { ladder, outputs: [hls], picture: { crop: { top: '10px' } } }, ['picture.crop.top']],
  ['a crop of a whole side', { ladder, outputs: [hls], picture: { crop: { top: '100%' } } }, ['picture.crop.top']],
  ['a negative crop', { ladder, outputs: [hls], picture: { crop: { left: -2 } } }, ['picture.crop.left']],
  ['an unknown deinterlacing', { ladder, outputs: [hls], picture: { deinterlace: 'on' } }, ['picture.deinterlace']],
  ['an unknown mode', { ladder: { ...ladder, mode: 'crf' }, outputs: [hls] }, ['ladder.mode']],
  ['a mode in capitals', { ladder: { ...ladder, mode: 'QUALITY' }, outputs: [hls] }, ['ladder.mode']],
  ['no mode', { ladder: { ...ladder, mode: null }, outputs: [hls] }, ['ladder.mode']],
  ['a mode outside the ladder', { ladder, mode: 'quality', outputs: [hls] }, ['']],
  ['copies as a flag', { ladder, outputs: [hls], copy: true }, ['copy']],
  ['copies of an unknown kind', { ladder, outputs: [hls], copy: 'always' }, ['copy']],
  ['a list of copies', { ladder, outputs: [hls], copy: ['auto'] }, ['copy']],
  ['copies of one rung', { video: [{ ...v720, copy: 'auto' }], outputs: [hls] }, ['video.0']],
  ['a list', [], ['']],
  ['text', 'x', ['']],
])('the structure refuses %s', (_, query, paths) => {
  expect(pathsOf(query)).toEqual(paths);
});

test('a wrong mode or copy is refused with the values that there are', () => {
  expect(issuesOf({ ladder: { ...ladder, mode: 1 }, outputs: [hls], copy: 'on' })).toEqual([
    'ladder.mode: Choose one of: bitrate, quality.',
    'copy: Choose one of: off, auto.',
  ]);
});

test.each<[string, unknown, string[]]>([
  ['neither streams nor ladder', { outputs: [hls] }, ['video', 'outputs.0']],
  ['neither bitrate nor crf', { video: [{ name: 'v', codec: 'h264' }], outputs: [hls] }, ['video.0.bitrate']],
  ['a crf above 51 for h264', { video: [{ ...v360, crf: 52 }], outputs: [hls] }, ['video.0.crf']],
  ['a profile of another codec', { video: [{ ...v360, profile: 'main10' }], outputs: [hls] }, ['video.0.profile']],
  ['ten-bit h264', { video: [{ ...v360, pixel_format: 'yuv420p10le' }], outputs: [hls] }, ['video.0.pixel_format']],
  ['two_pass without bitrate', { video: [{ ...v360, two_pass: true }], outputs: [hls] }, ['video.0.bitrate']],
  [
    'segment_duration of mp4',
    { video: [v360], outputs: [{ format: 'mp4', segment_duration: 6 }] },
    ['outputs.0.segment_duration'],
  ],
  ['container of mp4', { video: [v360], outputs: [{ format: 'mp4', container: 'fmp4' }] }, ['outputs.0.container']],
  ['dash in ts', { video: [v360], outputs: [{ format: 'dash', container: 'ts' }] }, ['outputs.0.container']],
  ['faststart of hls', { video: [v360], outputs: [{ format: 'hls', faststart: true }] }, ['outputs.0.faststart']],
  [
    'a profile of another codec in the ladder',
    { ladder: { ...ladder, profile: 'main10' }, outputs: [hls] },
    ['ladder.profile'],
  ],
  [
    'a ladder upside down',
    { ladder: { codec: 'h264', min_height: 720, max_height: 480 }, outputs: [hls] },
    ['ladder.min_height'],
  ],
])('keys that exclude each other: %s', (_, query, paths) => {
  expect(pathsOf(query)).toEqual(paths);
});

test('rule 1: names are unique over video and audio, and over outputs', () => {
  expect(
    issuesOf({
      video: [v720, v720],
      audio: [{ ...stereo, name: 'v720' }],
      outputs: [
        { ...hls, name: 'a' },
        { ...hls, name: 'a' },
      ],
    }),
  ).toEqual([
    'video.1.name: Choose another name: "v720" is taken.',
    'audio.0.name: Choose another name: "v720" is taken.',
    'outputs.1.name: Choose another name: "a" is taken.',
  ]);
});

test('rule 2: outputs name existing streams, and of a ladder all or none', () => {
  expect(pathsOf({ video: [v720], outputs: [{ ...hls, video: ['v720', 'v1080'], audio: ['x'] }] })).toEqual([
    'outputs.0.video.1',
    'outputs.0.audio.0',
  ]);
  expect(pathsOf({ ladder, outputs: [{ ...hls, video: ['720p'] }, hls] })).toEqual(['outputs.0.video']);
  expect(pathsOf({ ladder, audio: [stereo], outputs: [{ ...hls, video: [] }, hls] })).toEqual([]);
});

test('rule 3: ts carries h264 and aac only', () => {
  const vp9 = { ...v720, codec: 'vp9' };
  expect(pathsOf({ video: [vp9], audio: [opus], outputs: [{ ...hls, container: 'ts' }] })).toEqual([
    'outputs.0.video',
    'outputs.0.audio',
  ]);
  expect(pathsOf({ video: [v360, vp9], outputs: [{ ...hls, container: 'ts', video: ['v360', 'v720'] }] })).toEqual([
    'outputs.0.video.1',
  ]);
  expect(pathsOf({ ladder: { codec: 'av1' }, outputs: [{ ...hls, container: 'ts' }] })).toEqual([
    'outputs.0.container',
  ]);
  expect(pathsOf({ ladder, audio: [stereo], outputs: [{ ...hls, container: 'ts' }] })).toEqual([]);
});

test('rule 3: mp4 holds one video and one audio stream, of a ladder the top rung', () => {
  const mp4 = { format: 'mp4' };
  expect(pathsOf({ video: [v720, v360], audio: [stereo, opus], outputs: [mp4] })).toEqual([
    'outputs.0.video',
    'outputs.0.audio',
  ]);
  expect(pathsOf({ video: [v720, v360], audio: [stereo], outputs: [{ ...mp4, video: ['v720'] }, hls] })).toEqual([]);
  expect(pathsOf({ ladder, audio: [stereo], outputs: [mp4] })).toEqual([]);
});

test('rule 4: a segment is whole GOPs and one output has one GOP length', () => {
  expect(pathsOf({ video: [{ ...v720, gop: 4 }], outputs: [hls] })).toEqual(['outputs.0.segment_duration']);
  expect(pathsOf({ video: [{ ...v720, gop: 0.6 }], outputs: [hls] })).toEqual([]);
  expect(pathsOf({ video: [{ ...v720, gop: 1 }, v360], outputs: [{ ...hls, video: ['v720', 'v360'] }] })).toEqual([
    'outputs.0.video.1',
  ]);
  expect(pathsOf({ ladder: { ...ladder, gop: 5 }, outputs: [hls] })).toEqual(['outputs.0.segment_duration']);
  expect(pathsOf({ video: [{ ...v720, gop: 4 }], outputs: [{ format: 'mp4' }] })).toEqual([]);
});

test('rule 6: 10-bit profiles need yuv420p10le', () => {
  const hevc = { ...v720, codec: 'hevc' };
  expect(issuesOf({ video: [{ ...hevc, profile: 'main10' }], outputs: [hls] })).toEqual([
    'video.0.profile: Set pixel_format to yuv420p10le for main10, or choose another profile.',
  ]);
  expect(issuesOf({ video: [{ ...hevc, profile: 'main', pixel_format: 'yuv420p10le' }], outputs: [hls] })).toEqual([
    'video.0.profile: Choose main10 for yuv420p10le, or leave profile out.',
  ]);
  expect(issuesOf({ video: [{ ...hevc, pixel_format: 'yuv420p10le' }], outputs: [hls] })).toEqual([]);
  expect(
    issuesOf({ video: [{ ...v720, codec: 'av1', profile: 'main', pixel_format: 'yuv420p10le' }], outputs: [hls] }),
  ).toEqual([]);
});

test('a crop that leaves nothing of any source is refused', () => {
  const issues = (crop: object) => issuesOf({ ladder, outputs: [hls], picture: { crop } });
  expect(issues({ left: '60%', right: '40%', top: '99.5%', bottom: '0.4%' })).toEqual([
    'picture.crop.right: Give left and right of less than 100% together: nothing is left of the picture.',
  ]);
  expect(issues({ top: '50%', bottom: 8000 })).toEqual([]);
});

test('tracks are joined in numbers that make what is asked for', () => {
  const issues = (tracks: object) => issuesOf({ ladder, outputs: [hls], tracks });
  expect(
    issues({
      audio: [
        { from: [1, 2, 3], as: 'stereo' },
        { from: [1, 2], as: '5.1' },
        { from: [1, 2], as: 'mono' },
        { from: [1, 2, 3, 4, 5, 6], as: '5.1' },
      ],
    }),
  ).toEqual([
    'tracks.audio.0.from: Name 1 or 2 tracks for stereo.',
    'tracks.audio.1.from: Name 1 or 6 tracks for 5.1.',
  ]);
  expect(issues({ video: -1 })).toEqual([
    'tracks.video: Give the number of a track: its index in the meta of the original stream.',
  ]);
  expect(issues({ audio: 'all' })).toEqual([
    'tracks.audio: Give "auto", or a list of tracks such as { "from": [1, 2], "as": "stereo" }.',
  ]);
  expect(issues({ video: 2, audio: 'auto' })).toEqual([]);
});

test('settings that the encoder of a codec ignores are refused', () => {
  const ignored = { two_pass: true, level: '4.0', buffer_size: '2M', max_bitrate: '2M' };
  const of = (entry: object) => pathsOf({ video: [{ ...v720, ...entry }], outputs: [hls] });
  expect(of({ codec: 'av1', ...ignored })).toEqual(['two_pass', 'level', 'buffer_size', 'max_bitrate'].map(inVideo));
  expect(of({ codec: 'vp9', ...ignored })).toEqual(['level'].map(inVideo));
  expect(of({ codec: 'hevc', ...ignored })).toEqual([]);
  // With a crf, the bitrates are maxima, which the encoder supports.
  expect(of({ codec: 'av1', bitrate: undefined, crf: 30, max_bitrate: '2M', two_pass: false })).toEqual([]);
  expect(issuesOf({ video: [{ ...v720, codec: 'vp9', level: '4.0' }], outputs: [hls] })).toEqual([
    'video.0.level: Leave level out: it has no effect on vp9.',
  ]);
});
const inVideo = (key: string) => `video.0.${key}`;

test('rule 7: every stream is used by some output', () => {
  expect(pathsOf({ video: [v720, v360], audio: [stereo], outputs: [{ ...hls, video: ['v720'], audio: [] }] })).toEqual([
    'video.1',
    'audio.0',
  ]);
  expect(pathsOf({ ladder, audio: [stereo], outputs: [{ ...hls, video: [] }] })).toEqual(['ladder']);
});

test('rule 8: a query is at most 64 KiB', () => {
  const long = `en${'-abcdefgh'.repeat(8000)}`;
  expect(issuesOf({ audio: [{ ...stereo, languages: [long] }], outputs: [hls] })).toEqual([
    ': Make the query smaller: at most 64 KiB of JSON.',
  ]);
});

test('a query nested a hundred thousand levels deep is refused at its first unknown key', () => {
  let deep: unknown = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  expect(pathsOf({ ladder, outputs: [hls], deep })).toEqual(['']);
  expect(pathsOf({ ladder, outputs: [hls], scaling: { fit: deep } })).toEqual(['scaling.fit']);
});

test('a background is six hexadecimal digits', () => {
  const withBackground = (background: string) => pathsOf({ ladder, outputs: [hls], scaling: { background } });
  expect(withBackground('#1a2B3c')).toEqual([]);
  for (const wrong of ['1a2b3c', '#1a2b3', '#1a2b3c,drawtext=x', 'black', '#1a2b3c\n']) {
    expect(withBackground(wrong)).toEqual(['scaling.background']);
  }
});

test('an output needs a stream', () => {
  expect(pathsOf({ video: [v720], outputs: [hls, { format: 'dash', video: [], audio: [] }] })).toEqual(['outputs.1']);
});

test('messages are sentences that say what to do', () => {
  const all = issuesOf({ version: 3, video: [{ crf: 99, width: 3, foo: 1 }], audio: 7, outputs: [{ format: 'avi' }] });
  expect(all.length).toBeGreaterThan(6);
  for (const issue of all) expect(issue).toMatch(/^[a-z0-9_.]*: [A-Z][^\n]+[.]$/);
});

test('the schema has a JSON schema with the defaults that the configuration names', () => {
  const { $defs } = z.toJSONSchema(templateQuerySchema, { io: 'input' }) as unknown as {
    $defs: {
      TemplateQuery: {
        additionalProperties: boolean;
        properties: Record<string, { default?: unknown; items: { properties: Record<string, { default?: unknown }> } }>;
      };
    };
  };
  const schema = $defs.TemplateQuery;
  const { defaults } = templatesConfig;
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties.chunk_duration?.default).toBe(defaults.chunk_duration);
  expect(schema.properties.video?.items.properties.gop?.default).toBe(defaults.gop);
  expect(schema.properties.video?.items.properties.preset?.default).toBe(defaults.preset);
  expect(schema.properties.audio?.items.properties.bitrate?.default).toBe(defaults.audio_bitrate);
  expect(schema.properties.audio?.items.properties.channels?.default).toBe(defaults.channels);
});
