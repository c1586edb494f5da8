import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { extractText } from '../../../encoder-task/jobs/extract-text.ts';
import type { JobResult, TextSpec } from '../../../shared/protocol/jobs.ts';
import { jobResultSchemas } from '../../../shared/protocol/jobs.ts';
import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

const subRip = `1
00:00:00,500 --> 00:00:01,500
<b>One</b> a < b

2
00:00:03,000 --> 00:00:03,750
Two
lines
`;
const ssa = `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,Arial,20

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\i1}Eins{\\i0}, zwei\\Ndrei
`;
const chapters = `;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=2000
title=First
[CHAPTER]
TIMEBASE=1/1000
START=2000
END=4000
title=Second & last
`;

/** Four seconds of video with two text tracks and two chapters. */
async function makeSource(name: string, codecs: string[], ...args: string[]): Promise<string> {
  const inputs = { 'text.srt': subRip, 'text.ass': ssa, 'chapters.txt': chapters };
  for (const [file, content] of Object.entries(inputs)) await writeFile(files.path(file), content);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=4'],
    ...Object.keys(inputs).flatMap((file) => ['-i', files.path(file)]),
    ...['-map', '0', '-map', '1', '-map', '2', '-map_metadata', '3', '-map_chapters', '3', ...h264, '-bf', '2'],
    ...[...codecs, '-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=ger', '-disposition:s:1', 'forced'],
    ...[...args, files.path(name)],
  );
  return files.path(name);
}

async function extract(
  { formatName, textTracks = [], chapterCount }: ProbeResult,
  originSeconds: number,
): Promise<{ result: JobResult<'text'>; texts: Record<string, string> }> {
  const spec: TextSpec = {
    kind: 'text',
    formatName,
    originSeconds,
    durationSeconds: 4,
    tracks: textTracks.map(({ streamIndex, codec }, index) => ({ file: `${index}.vtt`, streamIndex, codec })),
    chapters: chapterCount ? { file: 'chapters.vtt' } : null,
  };
  const outputs = [...spec.tracks.map(({ file }) => file), 'chapters.vtt'];
  const context = await contextFor(files.store, spec, { inputs: ['source'], outputs });
  try {
    const result = jobResultSchemas.text.parse(await extractText(context));
    const texts = result.files.map(({ file }) => [file, files.store.objects.get(file)!.toString()]);
    return { result, texts: Object.fromEntries(texts) };
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

const startSeconds = ({ video }: ProbeResult): number => (video!.startPts * video!.timeBase.num) / video!.timeBase.den;

const expected = {
  english:
    'WEBVTT\n\n00:00:00.500 --> 00:00:01.500\n<b>One</b> a &lt; b\n\n00:00:03.000 --> 00:00:03.750\nTwo\nlines\n',
  german: 'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n<i>Eins</i>, zwei\ndrei\n',
  chapters: 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nFirst\n\n00:00:02.000 --> 00:00:04.000\nSecond &amp; last\n',
};

test('SubRip, SubStation Alpha and chapters of a Matroska file that starts at a second', async () => {
  const codecs = ['-c:s:0', 'srt', '-c:s:1', 'ass'];
  const probed = await probeFile(files.store, await makeSource('a.mkv', codecs, '-output_ts_offset', '1'));
  expect(probed.textTracks).toMatchObject([
    { streamIndex: 1, codec: 'subrip', language: 'en', isForced: false },
    { streamIndex: 2, codec: 'ass', language: 'de', isForced: true },
  ]);
  expect(probed.chapterCount).toBe(2);
  expect(startSeconds(probed)).toBe(1);
  const { result, texts } = await extract(probed, startSeconds(probed));
  expect(result.failures).toEqual([]);
  expect(texts['0.vtt']).toBe(expected.english);
  expect(texts['1.vtt']).toBe(expected.german);
  // ffmpeg does not shift chapters.
  expect(texts['chapters.vtt']).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nFirst\n\n00:00:01.000 --> 00:00:03.000\nSecond &amp; last\n',
  );
});

test('3GPP text and chapters of an MP4, of whose media only the text is fetched', async () => {
  const probed = await probeFile(
    files.store,
    await makeSource('a.mp4', ['-c:s', 'mov_text'], '-movflags', 'faststart'),
  );
  files.store.requests.length = 0;
  const { result, texts } = await extract(probed, startSeconds(probed));
  expect(result.files).toMatchObject([
    { file: '0.vtt', cueCount: 2 },
    { file: '1.vtt', cueCount: 1 },
    { file: 'chapters.vtt', cueCount: 2 },
  ]);
  expect(texts).toEqual({ '0.vtt': expected.english, '1.vtt': expected.german, 'chapters.vtt': expected.chapters });
});

test('WebVTT in Matroska keeps its cue settings', async () => {
  const webVtt =
    'WEBVTT\n\n00:00:00.500 --> 00:00:01.500 position:10% align:start line:0\nOne\n\n00:00:03.000 --> 00:00:03.750\nTwo\n';
  await writeFile(files.path('settings.vtt'), webVtt);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=4', '-i', files.path('settings.vtt')],
    ...[...h264, '-c:s', 'copy', files.path('settings.mkv')],
  );
  const { texts } = await extract(await probeFile(files.store, files.path('settings.mkv')), 0);
  expect(texts['0.vtt']).toBe(webVtt);
});

/** Texts of a drone at these seconds. */
const flight = (...seconds: number[]): string =>
  seconds
    .map((at) => `00:00:0${at},000 --> 00:00:0${at},900\nF/2.8, SS 50, ISO 100, GPS (11.0253, 48.2346, 19)\n`)
    .map((cue, n) => `${n + 1}\n${cue}`)
    .join('\n');

async function makeFlight(name: string, ...args: string[]): Promise<string> {
  await writeFile(files.path('flight.srt'), name.startsWith('rare') ? flight(0, 3) : flight(0, 1, 2));
  const inputs = ['-f', 'lavfi', '-i', 'color=s=96x64:r=25:d=4', '-i', files.path('flight.srt')];
  await ffmpeg(...inputs, ...h264, ...args, files.path(name));
  return files.path(name);
}

test('positions of a drone are no text track, and no message has them', async () => {
  const probed = await probeFile(files.store, await makeFlight('drone.mov', '-c:s', 'mov_text'));
  expect(probed.textTracks).toBeUndefined();
  expect(probed.decisions).toEqual([
    {
      code: 'text_track_left_out',
      message: 'Text track 1 is left out: data of the camera, which may tell where the video was made.',
      facts: { streams: [1], reason: 'telemetry' },
    },
  ]);
  expect(JSON.stringify(probed)).not.toMatch(/11\.02|48\.23/);
});

test('positions of a drone are no text track in other containers either', async () => {
  const probed = await probeFile(files.store, await makeFlight('drone.mkv', '-c:s', 'srt'));
  expect(probed.textTracks).toBeUndefined();
  expect(probed.decisions).toMatchObject([{ facts: { streams: [1], reason: 'telemetry' } }]);
});

test('positions in a track that looks like subtitles do not become a caption', async () => {
  const source = await makeFlight('rare.mkv', '-c:s', 'srt', '-metadata:s:s:0', 'language=eng');
  const probed = await probeFile(files.store, source);
  expect(probed.textTracks).toHaveLength(1);
  const { result, texts } = await extract(probed, 0);
  expect(texts).toEqual({});
  const error = 'The text track has data of the camera. It does not become a caption.';
  expect(result.failures).toEqual([{ file: '0.vtt', error }]);
});

test('a damaged text track fails alone', async () => {
  const file = files.path('damaged.mkv');
  const bytes = await readFile(files.path('a.mkv'));
  // Neither the fields of an event nor UTF-8
  const event = bytes.indexOf('0,0,Default,,');
  bytes.fill(0xff, event, event + 13);
  await writeFile(file, bytes);
  const probed = await probeFile(files.store, file);
  const { result, texts } = await extract(probed, 0);
  expect(texts['0.vtt']).toContain('One');
  expect(result.failures).toEqual([{ file: '1.vtt', error: expect.stringContaining('damaged') }]);
});
