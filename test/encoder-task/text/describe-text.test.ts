import { expect, test } from 'vitest';
import { chapterCount, describeText } from '../../../encoder-task/text/describe-text.ts';
import { probeDocumentSchema } from '../../../shared/protocol/probe-document.ts';

const describe = (...streams: object[]) =>
  describeText(
    probeDocumentSchema.parse({
      format: { format_name: 'matroska,webm' },
      streams: streams.map((stream, index) => ({ index, codec_type: 'subtitle', ...stream })),
    }),
  );

test('text tracks with their language, title and dispositions', () => {
  const { tracks, warnings } = describe(
    { codec_type: 'video', codec_name: 'h264' },
    { codec_name: 'subrip', disposition: { default: 1 }, tags: { language: 'ger', title: ' Deutsch\n(SDH) ' } },
    { codec_name: 'ass', disposition: { forced: 1, hearing_impaired: 1 }, tags: { language: '?' } },
  );
  expect(warnings).toEqual([]);
  expect(tracks).toEqual([
    {
      streamIndex: 1,
      codec: 'subrip',
      language: 'de',
      title: 'Deutsch (SDH)',
      isDefault: true,
      isForced: false,
      isForDeaf: false,
    },
    { streamIndex: 2, codec: 'ass', language: 'und', title: null, isDefault: false, isForced: true, isForDeaf: true },
  ]);
});

test.each([[{ disposition: { comment: 1 } }], [{ tags: { title: "Director's commentary" } }]])(
  'a commentary is known by its flag or its title',
  (facts) => {
    expect(describe({ codec_name: 'subrip', ...facts }).tracks).toMatchObject([{ isCommentary: true }]);
  },
);

test.each([
  ['hdmv_pgs_subtitle', 'PGS images'],
  ['dvd_subtitle', 'DVD images'],
  ['dvb_subtitle', 'DVB images'],
  ['eia_608', 'CEA-608 codes'],
  [undefined, 'text or images in a format that cannot be converted'],
])('a track of %s is named in a warning', (codec_name, kind) => {
  expect(describe({ codec_name, tags: { language: 'eng' } })).toEqual({
    tracks: [],
    warnings: [
      `Subtitle track 0 (en) is left out, because it consists of ${kind}. Upload a WebVTT or SubRip file instead.`,
    ],
    decisions: [
      {
        code: 'text_track_left_out',
        message: 'Text track 0 is left out: images, or text in a format that cannot be converted.',
        facts: { streams: [0], reason: 'format' },
      },
    ],
  });
});

test('WebVTT in MP4, which is data for FFmpeg, is named too', () => {
  const data = { codec_type: 'data', codec_tag_string: 'wvtt' };
  expect(describe(data, { codec_type: 'data', codec_tag_string: 'tmcd' }).warnings).toHaveLength(1);
});

test('chapters are counted', () => {
  expect(chapterCount({ chapters: [{}, {}] })).toBe(2);
  expect(chapterCount({})).toBe(0);
});
