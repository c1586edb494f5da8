import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { addSegments, emptyEventPlaylist, endPlaylist } from '../../../functions/packaging/event-playlist.ts';
import { plannedTracks } from '../../../functions/planning/video/track-chunks.ts';
import { useStoreAndFolder } from '../../encoder-task/support/clips.ts';
import { ffmpeg, packetsInDecodeOrder, packetsOf } from '../../encoder-task/support/ffmpeg.ts';
import { psnrOfFrames } from '../../encoder-task/support/psnr.ts';
import { joinTrack } from '../../encoder-task/support/run-jobs.ts';
import { type Made, runPlan } from '../../encoder-task/support/run-plan.ts';

const run = promisify(execFile);
const files = useStoreAndFolder();

const framesPerSecond = 30;
const seconds = 24;
const toneHz = 440;
/** of AAC */
const samplesPerFrame = 1024;

// Segments of one second: the starter is encoded alone for seven seconds at least.
const query = {
  video: [
    { name: 'starter', codec: 'h264', height: 180, crf: 23, preset: 'veryfast', gop: 1 },
    { name: 'small', codec: 'h264', height: 90, crf: 23, preset: 'slower', gop: 1 },
  ],
  audio: [{ name: 'sound', codec: 'aac', bitrate: '128k' }],
  outputs: [{ format: 'hls', segment_duration: 1 }],
  chunk_duration: 4,
};

// Two encodes of the same source: faster than it plays, and slower. The groups then meet at other frames.
describe.each([
  ['faster than it plays', 100],
  ['slower than it plays', 0.59],
])('a video that is encoded %s', (_, capacity) => {
  let source: string;
  let made: Made;

  beforeAll(async () => {
    source = files.path(`source-${capacity}.mp4`);
    await ffmpeg(
      ...['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${framesPerSecond}:d=${seconds},noise=alls=12:allf=t`],
      ...['-f', 'lavfi', '-i', `sine=frequency=${toneHz}:d=${seconds}:r=48000,volume=6`],
      ...['-c:v', 'libx264', '-preset', 'superfast', '-crf', '12', '-bf', '2', '-g', '75', '-pix_fmt', 'yuv420p'],
      ...['-c:a', 'aac', '-b:a', '192k', source],
    );
    made = await runPlan(files.store, source, query, capacity);
    for (const [name, media] of [...made.video, ...made.audio]) {
      await joinTrack(files.store, media, files.path(`${name}.mp4`));
    }
    await writeMedia(made);
  });

  test('has rungs that consist of chunks of several groups', () => {
    for (const { groups } of jointsOf(made)) expect(groups.length).toBeGreaterThan(0);
  });

  test('has every frame once, at its time, in the order of decoding too', async () => {
    for (const { name, ticksPerFrame } of jointsOf(made)) {
      const file = files.path(`${name}.mp4`);
      expect((await packetsOf(file)).map(({ pts }) => pts)).toEqual(
        Array.from({ length: seconds * framesPerSecond }, (_, n) => n * ticksPerFrame),
      );
      const times = (await packetsInDecodeOrder(file)).map(({ dtsSeconds }) => dtsSeconds);
      const steps = times.slice(1).map((time, n) => Math.round((time - times[n]!) * framesPerSecond * 1000) / 1000);
      expect(new Set(steps)).toEqual(new Set([1]));
    }
  });

  test('has one init segment for the chunks of all groups', () => {
    for (const chunks of made.chunks.values()) expect(new Set(chunks.map(({ init }) => init.sha256)).size).toBe(1);
  });

  test('is shown as well where groups meet as at other key frames', async () => {
    for (const { name, groups, chunks } of jointsOf(made)) {
      const psnr = await psnrOfFrames({
        encoded: files.path(`${name}.mp4`),
        source,
        log: files.path('psnr.log'),
        sourceFilters: `scale=-2:${name === 'starter' ? 180 : 90}`,
      });
      expect(psnr).toHaveLength(seconds * framesPerSecond);
      const around = (frame: number): number => Math.min(...psnr.slice(frame - framesAround, frame + framesAround));
      const worst = (frames: number[]): number => Math.min(...frames.map(around));
      const keyFrames = Array.from({ length: seconds - 1 }, (_, n) => (n + 1) * framesPerSecond);
      const inChunks = keyFrames.filter((frame) => !chunks.includes(frame) && !groups.includes(frame));
      expect(worst(groups)).toBeGreaterThan(worst(chunks) - toleranceDecibels);
      expect(worst(groups)).toBeGreaterThan(worst(inChunks) - toleranceDecibels);
      // One frame at the place of another has less than 25 dB.
      expect(worst(groups)).toBeGreaterThan(30);
    }
  });

  test('is decoded from its growing playlists without a message', async () => {
    for (const { name } of jointsOf(made)) {
      const inputs = [name, 'sound'].flatMap((track) => ['-i', files.path(`${track}.m3u8`)]);
      const maps = ['-map', '0:v', '-map', '1:a', '-f', 'null', '-'];
      const { stderr } = await run('ffmpeg', ['-nostdin', '-hide_banner', '-v', 'warning', ...inputs, ...maps]);
      expect(stderr).toBe('');
    }
  });

  test('sounds without a gap, a repetition or a click', async () => {
    const file = files.path('sound.mp4');
    const packets = await packetsOf(file);
    expect(packets.map(({ pts }) => pts - packets[0]!.pts)).toEqual(packets.map((_, n) => n * samplesPerFrame));
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', file, '-ac', '1', '-f', 'f32le', '-'], {
      encoding: 'buffer',
      maxBuffer: 1e8,
    });
    const samples = new Float32Array(stdout.buffer, stdout.byteOffset, stdout.length / 4);
    // A tone changes by no more than this from one sample to the next. Encoders need some frames at both ends.
    const tone = samples.subarray(4800, seconds * 48_000 - 4800);
    const amplitude = Math.max(...tone.subarray(0, 4800));
    const greatest = tone.reduce((most, value, n) => Math.max(most, Math.abs(value - (tone[n - 1] ?? value))), 0);
    expect(amplitude).toBeGreaterThan(0.3);
    expect(greatest).toBeLessThan(1.2 * ((2 * Math.PI * toneHz) / 48_000) * amplitude);
  });
});

/** Frames on each side of a joint that are compared. */
const framesAround = 4;
const toleranceDecibels = 0.5;

type Joints = {
  name: string;
  ticksPerFrame: number;
  /** first frames of chunks whose predecessor is of another group */
  groups: number[];
  /** first frames of the other chunks */
  chunks: number[];
};

const jointsOf = ({ plan }: Made): Joints[] =>
  plannedTracks(plan).map(({ rung, grid, chunks }) => {
    const joints = chunks
      .slice(1)
      .map(({ group, chunk }, n) => ({ frame: chunk.startFrame, group, before: chunks[n]! }));
    const frames = (isOfGroups: boolean) =>
      joints.filter(({ group, before }) => (before.group !== group) === isOfGroups).map(({ frame }) => frame);
    const { ticksPerFrame } = grid;
    return { name: rung.name, ticksPerFrame, groups: frames(true), chunks: frames(false) };
  });

/** Writes the files and, for each track, the playlist that has grown to its end. */
async function writeMedia({ chunks, video, audio, plan }: Made): Promise<void> {
  for (const [name, media] of [...video, ...audio]) {
    for (const file of media) {
      await mkdir(dirname(files.path(file)), { recursive: true });
      await writeFile(files.path(file), files.store.objects.get(file)!);
    }
    const [init, ...segments] = media as [string, ...string[]];
    const durations = chunks
      .get(name)
      ?.flatMap((chunk) => chunk.segments.map((one) => one.durationTicks / chunk.timescale));
    const durationSeconds = plan.audio[0]!.segmentSeconds;
    const listed = segments.map((path, n) => ({ path, durationSeconds: durations?.[n] ?? durationSeconds }));
    const start = emptyEventPlaylist({ targetSeconds: 1, initPath: init });
    await writeFile(files.path(`${name}.m3u8`), endPlaylist(addSegments(start, listed)));
  }
}
