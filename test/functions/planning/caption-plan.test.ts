import { expect, test } from 'vitest';
import { planCaptions } from '../../../functions/planning/caption-plan.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { TextTrack } from '../../../shared/protocol/text-tracks.ts';

const query = (captions?: object) =>
  templateQuerySchema.parse({ ladder: { codec: 'h264' }, outputs: [{ format: 'hls' }], captions });
const track = (streamIndex: number, language: string, facts: Partial<TextTrack> = {}): TextTrack => ({
  streamIndex,
  language,
  codec: 'subrip',
  title: null,
  isDefault: false,
  isForced: false,
  isForDeaf: false,
  ...facts,
});
const plan = (textTracks: TextTrack[], captions?: object, chapterCount?: number) =>
  planCaptions({ textTracks, ...(chapterCount !== undefined && { chapterCount }) }, query(captions));
const streams = ({ captions }: ReturnType<typeof planCaptions>) => captions.map(({ track: made }) => made?.streamIndex);

test('kinds follow from the dispositions, and chapters come last', () => {
  const tracks = [
    track(2, 'en', { isForDeaf: true, title: 'SDH' }),
    track(3, 'en', { isForced: true, isForDeaf: true, isDefault: true }),
    track(4, 'en', { isDefault: true }),
    track(5, 'de', { isDefault: true }),
  ];
  expect(plan(tracks, undefined, 3)).toEqual({
    captions: [
      { track: { streamIndex: 2, codec: 'subrip' }, language: 'en', kind: 'captions', label: 'SDH', isDefault: false },
      { track: { streamIndex: 3, codec: 'subrip' }, language: 'en', kind: 'forced', label: null, isDefault: true },
      { track: { streamIndex: 4, codec: 'subrip' }, language: 'en', kind: 'subtitles', label: null, isDefault: false },
      { track: { streamIndex: 5, codec: 'subrip' }, language: 'de', kind: 'subtitles', label: null, isDefault: false },
      { track: null, language: 'und', kind: 'chapters', label: 'Chapters', isDefault: false },
    ],
    warnings: [],
    decisions: [],
  });
});

test('of several tracks of one language and kind, the default becomes a caption, otherwise the first', () => {
  const { captions, warnings, decisions } = plan([
    track(2, 'en'),
    track(3, 'en', { isDefault: true }),
    track(4, 'de'),
    track(5, 'de'),
  ]);
  expect(captions.map(({ track: made }) => made?.streamIndex)).toEqual([3, 4]);
  expect(decisions).toEqual([
    {
      code: 'text_track_left_out',
      message: '2 text tracks are left out: another track has the same language and kind.',
      facts: { streams: [2, 5], reason: 'language' },
    },
  ]);
  expect(warnings).toEqual([
    'Text track 2 is left out, because another track has the same language (en) and kind (subtitles).',
    'Text track 5 is left out, because another track has the same language (de) and kind (subtitles).',
  ]);
});

test('the text of a commentary is neither the default nor preferred to another track', () => {
  const commentary = { isCommentary: true, isDefault: true };
  expect(streams(plan([track(2, 'en', commentary), track(3, 'en')]))).toEqual([3]);
  expect(plan([track(2, 'en', { ...commentary, isForced: true })]).captions).toMatchObject([
    { kind: 'subtitles', isDefault: false },
  ]);
});

test('the template says which languages become captions', () => {
  const tracks = [track(2, 'de-AT'), track(3, 'en'), track(4, 'und')];
  expect(streams(plan(tracks, { embedded: ['de', 'und'] }, 1))).toEqual([2, 4, undefined]);
  expect(streams(plan(tracks, {}))).toEqual([2, 3, 4]);
  expect(streams(plan(tracks, { embedded: 'none' }, 1))).toEqual([]);
});

test.each([[{ embedded: 'some' }], [{ embedded: [] }], [{ embedded: ['DE!'] }], [{ language: 'de' }]])(
  '%j is refused',
  (captions) => {
    expect(() => query(captions)).toThrow();
  },
);
