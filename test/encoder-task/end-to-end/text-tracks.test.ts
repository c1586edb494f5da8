import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { extractText } from '../../../encoder-task/jobs/extract-text.ts';
import { parseCaptions } from '../../../shared/captions/parse-captions.ts';
import type { TextSpec } from '../../../shared/protocol/jobs.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { editMovie, type MovieEdit } from '../support/clips/edit-movie.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

const maxErrorMs = 40;
const clipSeconds = 60;
/** A cue every five seconds, up to the end. */
const cueStarts = Array.from({ length: 12 }, (_, n) => 5 * n + 0.7);

const vtt = (): string =>
  `WEBVTT\n\n${cueStarts
    .map((start, n) => {
      const at = (seconds: number) => `00:${seconds.toFixed(3).padStart(6, '0')}`;
      return `${at(start)} --> ${at(start + 2)}\nCue ${n}\n`;
    })
    .join('\n')}`;

type Case = readonly [name: string, container: string, codec: string, change: Change];
/** Options of ffmpeg for a copy, or edit lists; and when a time of the clip is presented. */
type Change = { options?: string[]; edits?: MovieEdit[]; presented: (seconds: number) => number[] };

const changes: Record<string, Change> = {
  'as it is': { presented: (seconds) => [seconds] },
  'with times from a second on': { options: ['-output_ts_offset', '1'], presented: (seconds) => [seconds] },
};
const editLists: Record<string, Change> = {
  'cut within a text': {
    edits: [{ fromSeconds: 6.2, seconds: 40 }],
    presented: (seconds) => (seconds < 6.2 - 2 || seconds > 46.2 ? [] : [Math.max(0, seconds - 6.2)]),
  },
  'delayed, and in another order': {
    edits: [
      { fromSeconds: null, seconds: 1 },
      { fromSeconds: 30, seconds: 30 },
      { fromSeconds: 0, seconds: 20 },
    ],
    presented: (seconds) => (seconds > 30 ? [seconds - 30 + 1] : seconds < 20 ? [seconds + 31] : []),
  },
};
const codecs: [container: string, codec: string, changes: Record<string, Change>][] = [
  ['mkv', 'srt', changes],
  ['mkv', 'ass', changes],
  ['mkv', 'webvtt', changes],
  ['mov', 'mov_text', changes],
  ['mp4', 'mov_text', { ...changes, ...editLists }],
];
const cases: Case[] = codecs.flatMap(([container, codec, ways]) =>
  Object.entries(ways).map(
    ([name, change]) => [`${codec} in ${container}, ${name}`, container, codec, change] as const,
  ),
);
const sample = ['mov_text in mp4, cut within a text'];

test.each(sampled(cases, sample))('%s is in time', async (name, container, codec, { options, edits, presented }) => {
  const text = files.path('text.vtt');
  await writeFile(text, vtt());
  const file = files.path(`${name.replace(/\W+/g, '-')}.${container}`);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `testsrc2=s=64x36:r=25:d=${clipSeconds}`, '-i', text, '-map', '0', '-map', '1'],
    ...[...h264, '-g', '50', '-bf', '2', '-c:s', codec, ...(options ?? []), file],
  );
  if (edits) await writeFile(file, editMovie(await readFile(file), edits));
  const probed = await probeFile(files.store, file);
  const { startPts, endPts, timeBase } = probed.video!;
  const secondsPerTick = timeBase.num / timeBase.den;
  // An empty edit delays all tracks.
  const delaySeconds = edits?.[0]?.fromSeconds === null ? edits[0].seconds : 0;
  const spec: TextSpec = {
    kind: 'text',
    formatName: probed.formatName,
    chapters: null,
    originSeconds: startPts * secondsPerTick,
    durationSeconds: (endPts - startPts) * secondsPerTick,
    tracks: probed.textTracks!.map(({ streamIndex, codec }) => ({ file: '0.vtt', streamIndex, codec })),
  };
  const context = await contextFor(files.store, spec, { inputs: ['source'], outputs: ['0.vtt'] });
  const { failures } = await extractText(context).finally(() => rm(context.folder, { recursive: true }));
  expect(failures).toEqual([]);
  const cues = parseCaptions(files.store.objects.get('0.vtt')!, 'vtt');
  const found = cues.map(({ startMs, text: shown }) => [shown, startMs] as const);
  const expected = cueStarts.flatMap((start, n) =>
    presented(start).map((seconds) => [`Cue ${n}`, (seconds - delaySeconds) * 1000] as const),
  );
  expect(found.map(([shown]) => shown)).toEqual(expected.toSorted(([, a], [, b]) => a - b).map(([shown]) => shown));
  for (const [shown, startMs] of found) {
    const expectedMs = expected.find(([one]) => one === shown)![1];
    expect(Math.abs(startMs - expectedMs), `${name}: ${shown}`).toBeLessThanOrEqual(maxErrorMs);
  }
});
