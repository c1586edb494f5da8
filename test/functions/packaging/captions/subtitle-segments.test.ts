import HLS from 'hls-parser';
import { expect, test } from 'vitest';
import type { MuxedTrack } from '../../../../functions/job-results/packaged-track.ts';
import { subtitleLayout } from '../../../../functions/packaging/captions/subtitle-layout.ts';
import { subtitleFiles } from '../../../../functions/packaging/captions/subtitle-segments.ts';
import type { Cue } from '../../../../shared/captions/cue.ts';
import { parseCaptionText } from '../../../../shared/captions/parse-captions.ts';

/** Media segments of 6 s, and a shorter last one. */
const track = (seconds: number, startSeconds = 0): MuxedTrack => ({
  name: 'v',
  kind: 'video',
  codecs: 'avc1',
  timescale: 90_000,
  segments: Array.from({ length: Math.ceil(seconds / 6) }, (_, index) => ({
    path: `${index}.m4s`,
    bytes: 1,
    startTicks: (startSeconds + index * 6) * 90_000,
    durationTicks: Math.min(6, seconds - index * 6) * 90_000,
  })),
});
const cue = (startMs: number, endMs: number, text = 'a'): Cue => ({ startMs, endMs, settings: '', text });
const layout = (of: ReturnType<typeof track>, clockStartTicks: number, isDated = false) =>
  subtitleLayout(of, { clockStartTicks, isDated });
const files = (cues: Cue[], seconds: number) => subtitleFiles(cues, layout(track(seconds), 0));

test('segments begin and end with media segments, and last as long as the media', () => {
  const { segments } = layout(track(100), 0);
  expect(segments.map(({ startMs, endMs }) => [startMs / 1000, endMs / 1000])).toEqual([
    [0, 30],
    [30, 60],
    [60, 90],
    [90, 100],
  ]);
  const playlist = HLS.parse(files([cue(0, 1)], 100).at(-1)!.body) as HLS.types.MediaPlaylist;
  expect(playlist.segments.map(({ duration, uri }) => [duration, uri])).toEqual([
    [30, '0000.vtt'],
    [30, '0001.vtt'],
    [30, '0002.vtt'],
    [10, '0003.vtt'],
  ]);
  expect(playlist.targetDuration).toBe(30);
});

test('a playlist has the date of its first segment, if those of the other tracks have dates', () => {
  const dateIn = (isDated: boolean) => {
    const body = subtitleFiles([cue(0, 1)], layout(track(60, 1), 0, isDated)).at(-1)!.body;
    return (HLS.parse(body) as HLS.types.MediaPlaylist).segments[0]!.programDateTime?.toISOString();
  };
  expect([dateIn(true), dateIn(false)]).toEqual(['1970-01-01T00:00:01.000Z', undefined]);
});

test('a video of ten hours has few segments', () => {
  expect(layout(track(36_000), 0).segments.length).toBeLessThanOrEqual(240);
});

test('a layout has the same name for the same times only', () => {
  const ids = [
    layout(track(100), 0),
    layout(track(100), 126_000),
    layout(track(100, 1), 0),
    layout(track(100, 1), 0, true),
  ];
  expect(new Set(ids.map(({ id }) => id)).size).toBe(4);
  expect(layout(track(100), 0).id).toBe(ids[0]!.id);
});

test('a cue is in each segment during which it is shown, with its own times', () => {
  const made = files([cue(1000, 2000, 'one'), cue(29_999, 60_001, 'long'), cue(60_000, 61_000, 'at the border')], 100);
  const texts = made.slice(0, -1).map(({ body }) => body.match(/^(?:one|long|at the border)$/gm));
  expect(texts).toEqual([['one', 'long'], ['long'], ['long', 'at the border'], null]);
  expect(made[1]!.body).toBe(
    'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n00:00:29.999 --> 00:01:00.001\nlong\n',
  );
});

test('cues before the first and after the last segment are in those', () => {
  const made = subtitleFiles([cue(0, 500, 'early'), cue(200_000, 300_000, 'late')], layout(track(60, 1), 0));
  expect(made[0]!.body).toContain('early');
  expect(made[1]!.body).toContain('late');
});

test('the time stamp of second 0 has 33 bits', () => {
  const [first] = subtitleFiles([cue(0, 1)], layout(track(6), 2 ** 33 - 90_000 * 2 + 90_000 * 3));
  expect(first!.body).toContain('MPEGTS:90000,');
});

test('long cues are not copied into so many segments that the files become large', () => {
  const cues = Array.from({ length: 20_000 }, (_, index) => cue(index, 36_000_000, 'shown for ten hours'));
  const made = files(cues, 36_000);
  const bytes = made.reduce((sum, { body }) => sum + body.length, 0);
  expect(bytes).toBeLessThan(20 * 2 ** 20);
  const all = made.slice(0, -1).flatMap(({ body }) => parseCaptionText(body, 'vtt'));
  expect(new Set(all.map(({ startMs }) => startMs)).size).toBe(20_000);
});
