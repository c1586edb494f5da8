import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encodeAudio } from '../../../encoder-task/jobs/encode-audio.ts';
import { encodeTracks, type TracksRun } from '../../../encoder-task/jobs/encode-tracks.ts';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { packageTracks } from '../../../encoder-task/jobs/package.ts';
import { makeThumbnails } from '../../../encoder-task/jobs/thumbnails.ts';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import { runLease } from '../../../encoder-task/worker/run-lease.ts';
import { trackFiles } from '../../../functions/job-results/job-files.ts';
import { videoSource } from '../../../functions/planning/video/video-source.ts';
import type { EncodedTrack } from '../../../shared/protocol/encode-spec.ts';
import type {
  EncodeVideoSpec,
  JobLimits,
  JobSpec,
  Lease,
  PackageSpec,
  StoredSegments,
  ThumbnailsSpec,
} from '../../../shared/protocol/jobs.ts';
import { initFile, segmentFile } from '../../../shared/protocol/track-files.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { contextFor, limits as usualLimits } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { planFor, smallRung } from '../support/plan.ts';
import { replaceFfmpeg, restoreFfmpeg } from '../support/replace-ffmpeg.ts';
import { filesOf, probeFile } from '../support/run-jobs.ts';
import { writeWholeFile } from '../support/write-whole-file.ts';

const files = useStoreAndFolder();
type Work = { spec: JobSpec; inputs: string[]; outputs: string[] };
let works: Record<'video' | 'audio' | 'mp4' | 'ts' | 'thumbnails', Work>;
let objects: Map<string, Buffer>;

const numbered = (count: number, name: (number: string) => string): string[] =>
  Array.from({ length: count }, (_, n) => name(String(n).padStart(5, '0')));

beforeAll(async () => {
  const source = files.path('source.mp4');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2', '-f', 'lavfi', '-i', 'sine=d=2:r=48000'],
    ...[...h264, '-g', '25', '-c:a', 'aac', source],
  );
  const probed = await probeFile(files.store, source);
  const plan = planFor(probed, files.store.objects.get('index.json.gz')!);
  const chunk = { ...plan.chunks[0]!, endFrame: 50, endPts: plan.chunks.at(-1)!.endPts };
  const { source: video, grid } = plan;
  const sound = probed.audio[0]!;
  works = {
    video: {
      spec: { kind: 'encode-video', source: video, grid, rungs: [smallRung('v0')], chunk },
      inputs: ['source'],
      outputs: trackFiles({ names: ['v0'], segments: [0, 1, 2, 3, 4] }),
    },
    audio: {
      spec: {
        kind: 'encode-audio',
        formatName: probed.formatName,
        originSeconds: 0,
        durationSeconds: sound.durationSeconds,
        rendition: {
          name: 'a0',
          streamIndex: sound.streamIndex,
          codec: 'aac',
          bitrateBps: 64_000,
          channels: 1,
          sampleRateHz: 48_000,
          language: 'en',
          loudnessLufs: null,
          segmentSeconds: 0.5,
        },
      },
      inputs: ['source'],
      outputs: trackFiles({ names: ['a0'], segments: [0, 1, 2, 3, 4, 5, 6, 7] }),
    },
    thumbnails: {
      spec: thumbnailsOf(videoSource(probed.video!, probed)),
      inputs: ['source'],
      outputs: ['poster.jpg', 'sprite-001.jpg', 'sprite-002.jpg', 'sprite.vtt'],
    },
    mp4: { spec: packageOf('mp4'), inputs: [], outputs: ['video.mp4'] },
    ts: { spec: packageOf('hls-ts'), inputs: [], outputs: numbered(8, (number) => `${number}.ts`) },
  };
  const { tracks } = await run('video', encodeVideo);
  const { track } = await run('audio', encodeAudio);
  const placed = [...place('v', tracks[0]!), ...place('a', track)];
  for (const name of ['mp4', 'ts'] as const) works[name].inputs = placed;
  objects = new Map(files.store.objects);
});

const thumbnailsOf = (source: ThumbnailsSpec['source']): ThumbnailsSpec => ({
  kind: 'thumbnails',
  source,
  durationSeconds: 2,
  poster: { atSeconds: 0.5, width: 160, height: 90, format: 'jpg' },
  sprite: {
    intervalSeconds: 1,
    startSeconds: 0,
    tileWidth: 64,
    tileHeight: 36,
    columns: 1,
    rows: 1,
    sheets: 2,
    tiles: 2,
    decodesAll: false,
    format: 'jpg',
  },
});

const packageOf = (format: PackageSpec['format']): PackageSpec => ({
  kind: 'package',
  format,
  faststart: true,
  segmentSeconds: 0.5,
  durationSeconds: 2,
  video: { name: 'v', parts: 6, frameCount: 50 },
  audio: [{ name: 'a', parts: 6, language: 'en' }],
});

function place(name: string, track: EncodedTrack): string[] {
  const spec = name === 'v' ? 'video' : 'audio';
  const all = [track.init.file, ...filesOf(track)];
  for (const kind of ['mp4', 'ts'] as const) {
    const packaged = works[kind].spec as PackageSpec;
    if (spec === 'video') packaged.video!.parts = all.length;
    else packaged.audio[0]!.parts = all.length;
  }
  return all.map((file, n) => {
    files.store.objects.set(`${name}/${n}`, files.store.objects.get(file)!);
    return `${name}/${n}`;
  });
}

const jobs = {
  video: encodeVideo,
  audio: encodeAudio,
  thumbnails: makeThumbnails,
  mp4: packageTracks,
  ts: packageTracks,
} as Record<keyof typeof works, (context: never) => Promise<unknown>>;

async function run<Result>(
  name: keyof typeof works,
  job: (context: never) => Promise<Result>,
  limits: JobLimits = usualLimits,
): Promise<Result> {
  const { spec, inputs, outputs } = works[name];
  if (objects) for (const [key, bytes] of objects) files.store.objects.set(key, bytes);
  const context = { ...(await contextFor(files.store, spec, { inputs, outputs })), limits };
  try {
    return await job(context as never);
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

afterEach(restoreFfmpeg);

const replaced = (lines: string[]): Promise<void> => replaceFfmpeg(files.path('.'), lines);

/**
 * An ffmpeg that runs normally, then runs the command `spoil` in its folder, and exits with 0. It works in a copy of
 * the job folder and moves the files back after that, because the job uploads segments as soon as they appear.
 */
const spoilOutput = (spoil: string): Promise<void> =>
  replaced([
    'mkdir .copy && for each in *; do test ! -e "$each" || cp -R "$each" .copy || exit 1; done; cd .copy',
    'ffmpeg "$@" || exit $?',
    spoil,
    'find . -type d -exec mkdir -p ../{} \\;',
    // ffmpeg completes an init segment before the first segment of its track
    'find . -name "*init.mp4" -exec mv {} ../{} \\; ; find . -type f -exec mv {} ../{} \\;',
    'cd .. && rm -r .copy',
  ]);

const missing = /frames instead of|lasts [\d.]+ s instead of|gaps or overlaps/;

describe('the output of an ffmpeg that exits with 0 is checked', () => {
  test.each<[what: string, job: keyof typeof works, spoil: string, says: RegExp]>([
    ['nothing was encoded', 'video', 'rm -f v0/*.m4s', missing],
    ['the last segment is missing', 'video', 'rm v0/*00004.m4s v0/*00003.m4s', missing],
    ['a segment in the middle is missing', 'video', 'rm v0/*00002.m4s', missing],
    ['a segment is cut off', 'video', 'truncate -s 500 v0/*00001.m4s', /cut off/],
    ['a segment is empty', 'video', 'truncate -s 0 v0/*00001.m4s', /no samples/],
    ['the init segment is missing', 'video', 'rm v0/*init.mp4', /ENOENT.*v0\/init.mp4/],
    ['the last audio is missing', 'audio', 'rm $(ls a0/*.m4s | tail -n 2)', missing],
    ['the first audio is missing', 'audio', 'rm a0/*00000.m4s', missing],
    ['audio is cut off', 'audio', 'truncate -s 200 a0/*00001.m4s', /cut off/],
    ['a file is cut off', 'mp4', 'truncate -s -5000 packaged.mp4', /cut off/],
    ['a file is empty', 'mp4', 'truncate -s 0 packaged.mp4', /cut off/],
    ['an MPEG-TS segment lacks its end', 'ts', 'truncate -s -1880 00002.ts', /frames instead of|is missing/],
    ['an MPEG-TS segment is empty', 'ts', 'truncate -s 0 00002.ts', /not whole packets/],
    ['the segment list is too short', 'ts', "sed -i '/00003/d' list.m3u8", /frames instead of|last/],
    ['the poster is empty', 'thumbnails', 'test ! -f poster.jpg || truncate -s 0 poster.jpg', /./],
    [
      'the poster is of another size',
      'thumbnails',
      'cp sprite-001.jpg poster.jpg 2>/dev/null',
      /poster.jpg is not an image of 160 × 90 pixels/,
    ],
    ['a sheet is missing', 'thumbnails', 'rm -f sprite-002.jpg', /1 sprite sheets instead of 2/],
  ])('%s: %s', async (_, job, spoil, says) => {
    await spoilOutput(spoil);
    await expect(run(job, jobs[job])).rejects.toThrow(says);
  });

  test.each(['video', 'audio', 'mp4', 'ts', 'thumbnails'] as const)('a complete %s is accepted', async (job) => {
    await spoilOutput(':');
    await expect(run(job, jobs[job])).resolves.toBeDefined();
  });
});

describe('a full disk', () => {
  test.each([
    ['video', 3000],
    ['audio', 1000],
    ['mp4', 60_000],
    ['ts', 8000],
    ['thumbnails', 400],
  ] as const)('fails %s with an error that is retried', async (name, diskBytes) => {
    const report = await leased(name, { ...usualLimits, diskBytes });
    expect(report).toMatchObject({
      failed: { fatal: false, code: expect.stringMatching(/DISK_FULL|OUTPUT_MISMATCH/) },
    });
  });
});

test('an ffmpeg that another process terminates has failed', async () => {
  await replaced(['ffmpeg -readrate 0.2 "$@" &', 'sleep 0.7; kill -TERM $!; wait $!', 'exit $?']);
  for (const name of ['video', 'audio'] as const) {
    expect(await leased(name, usualLimits)).toMatchObject({ failed: { fatal: false } });
  }
});

test.each(['video', 'audio'] as const)('an encode of %s ends when an upload fails', async (name) => {
  await replaced(['ffmpeg "$@"', 'exec sleep 3600']);
  const { spec, inputs } = works[name];
  for (const [key, bytes] of objects) files.store.objects.set(key, bytes);
  const context = await contextFor(files.store, spec, { inputs, outputs: [] });
  await expect(jobs[name](context as never)).rejects.toThrow("the service rejected the request 'outputs'");
  await rm(context.folder, { recursive: true });
});

/** Runs the job as a worker does, which maps errors to codes. */
async function leased(name: keyof typeof works, limits: JobLimits) {
  const { spec, inputs, outputs } = works[name];
  for (const [key, bytes] of objects) files.store.objects.set(key, bytes);
  const urls = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, files.store.url(key)]));
  const lease: Lease = { id: 'lease', kind: spec.kind, spec, inputs: urls(inputs), outputs: urls(outputs), limits };
  const { report, removed } = await runLease({
    lease,
    workFolder: files.path('work'),
    workerName: 'worker',
    log: createLog('error', {}, () => undefined),
    signal: new AbortController().signal,
    reportProgress: () => undefined,
    reportStored: () => undefined,
    askFiles: async () => ({}),
  });
  await removed;
  return report;
}

describe('progress', () => {
  test.each(['video', 'audio', 'mp4', 'ts', 'thumbnails'] as const)('of %s never decreases', async (name) => {
    const { spec, inputs, outputs } = works[name];
    for (const [key, bytes] of objects) files.store.objects.set(key, bytes);
    const context = await contextFor(files.store, spec, { inputs, outputs });
    await jobs[name](context as never);
    await rm(context.folder, { recursive: true });
    expect(context.progress).toEqual(context.progress.toSorted((a, b) => a - b));
    expect(Math.max(0, ...context.progress)).toBeLessThanOrEqual(1);
  });
});

test('a chunk with missing frames is encoded again to new files, and its stored segments are counted again', async () => {
  const spec = works.video.spec as EncodeVideoSpec;
  const rungs = [smallRung('v0'), smallRung('v1', { codec: 'vp9', preset: 'ultrafast' })];
  // the source has 50 frames
  const longer = { ...spec, reportsSegments: true, rungs, chunk: { ...spec.chunk, endFrame: 54 } };
  const outputs = trackFiles({ names: ['v0', 'v1'], segments: [0, 1, 2, 3, 4] });
  for (const [key, bytes] of objects) files.store.objects.set(key, bytes);
  const reports: (StoredSegments & { objects: Map<string, Buffer> })[] = [];
  const reportStored = (stored: StoredSegments): void => {
    const names = ['v0', 'v1'].flatMap((name) => [
      `${name}/${initFile(stored.run)}`,
      ...Array.from({ length: stored.segments }, (_, n) => `${name}/${segmentFile(n, stored.run)}`),
    ]);
    reports.push({ ...stored, objects: new Map(names.map((name) => [name, files.store.objects.get(name)!])) });
  };
  const context = await contextFor(files.store, longer, { inputs: ['source'], outputs, reportStored });
  const { tracks } = await encodeVideo({ ...context, log: createLog('error', {}, () => undefined) });
  await rm(context.folder, { recursive: true });

  expect(tracks.flatMap((track) => [track.init.file, ...filesOf(track)]).every((file) => /\/r2-/.test(file))).toBe(
    true,
  );
  expect(reports.at(-1)).toMatchObject({
    run: 2,
    segments: 5,
    codecs: { v0: tracks[0]!.codecs, v1: tracks[1]!.codecs },
  });
  const order = reports.map(({ run, segments }) => 10 * run + segments);
  expect(order).toEqual([...new Set(order)].toSorted((a, b) => a - b));
  expect(new Set(reports.map(({ run }) => run))).toEqual(new Set([1, 2]));
  for (const report of reports) {
    for (const [file, bytes] of report.objects) expect([file, files.store.objects.get(file)]).toEqual([file, bytes]);
  }
});

test('stored segments are reported while the encoder runs, the last ones only with the result', async () => {
  const spec = { ...(works.video.spec as EncodeVideoSpec), reportsSegments: true };
  const counts: number[] = [];
  const { outputs } = works.video;
  const context = await contextFor(files.store, spec, {
    outputs,
    reportStored: ({ segments }) => counts.push(segments),
  });
  const write = (file: string) => writeWholeFile(join(context.folder, 'v0', file), objects.get(`v0/${file}`)!);
  const tracksRun: TracksRun = {
    names: ['v0'],
    run: 1,
    segments: { from: 0, to: 3 },
    areDescribed: false,
    isReported: true,
  };
  await encodeTracks(context, tracksRun, async () => {
    for (const file of [initFile(1), segmentFile(1, 1), segmentFile(0, 1)]) await write(file);
    while (!counts.includes(2)) await sleep(2);
    await write(segmentFile(2, 1));
  });
  await rm(context.folder, { recursive: true });
  expect(counts.at(-1)).toBe(2);
  expect(files.store.objects.has(`v0/${segmentFile(2, 1)}`)).toBe(true);
});
