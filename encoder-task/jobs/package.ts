import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobResult, PackageSpec } from '../../shared/protocol/jobs.ts';
import { audioSegmentSeconds } from '../ffmpeg/audio-args.ts';
import { hlsTsArgs, mp4Args } from '../ffmpeg/copy-tracks.ts';
import { readSegmentList } from '../ffmpeg/output/segment-list.ts';
import { type Progress, runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { readProgressiveFile } from '../isobmff/progressive-file.ts';
import { readTransportStream } from '../mpegts/transport-stream.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { uploadFile } from '../transfer/upload.ts';
import { createUploadQueue } from '../transfer/upload-queue.ts';
import { fetchTrack, type LocalTrack } from './fetch-track.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<PackageSpec>;
type Tracks = {
  video: LocalTrack | null;
  audio: (LocalTrack & Pick<PackageSpec['audio'][number], 'language' | 'roles'>)[];
};
type Packaged = Omit<JobResult<'package'>, 'cpuSeconds' | 'codecs'>;

/** Copies finished tracks into a progressive MP4 or into MPEG-TS segments, without encoding. */
export async function packageTracks(context: Context): Promise<JobResult<'package'>> {
  const tracks = await fetchTracks(context);
  context.reportProgress(0.5);
  const codecs = [...new Set(allOf(tracks).map((track) => track.codecs))].join(',');
  const pack = context.spec.format === 'mp4' ? packMp4 : packHlsTs;
  const { result, cpuSeconds } = await measureCpu(() => pack(context, tracks));
  return { ...result, codecs, cpuSeconds };
}

async function fetchTracks(context: Context): Promise<Tracks> {
  const { video, audio } = context.spec;
  const tracks: Tracks = { video: video && (await fetchTrack(context, video, 'video.fmp4')), audio: [] };
  for (const [n, { language, roles, ...track }] of audio.entries()) {
    tracks.audio.push({ ...(await fetchTrack(context, track, `audio-${n}.fmp4`)), language, roles });
  }
  if (video && tracks.video?.samples !== video.frameCount) {
    throw new JobError('OUTPUT_MISMATCH', `${tracks.video?.samples} frames instead of ${video.frameCount}`);
  }
  return tracks;
}

const endSeconds = (tracks: Tracks): number =>
  Math.max(...allOf(tracks).map((track) => track.startSeconds + track.durationSeconds));

const allOf = ({ video, audio }: Tracks): LocalTrack[] => [...(video ? [video] : []), ...audio];

async function packMp4(context: Context, tracks: Tracks): Promise<Packaged> {
  const { spec, folder, outputs } = context;
  const file = Object.keys(outputs)[0];
  if (file === undefined) throw new JobError('OUTPUT_MISMATCH', 'the lease has no output file');
  const local = 'packaged.mp4';
  await runFfmpeg(context, { args: mp4Args(tracks, spec.faststart, local), onProgress: copyProgress(context, tracks) });
  const movie = await readProgressiveFile(join(folder, local));
  if (!movie.isComplete) throw new JobError('OUTPUT_MISMATCH', 'the file is cut off');
  context.reportProgress(0.7);
  const samples = movie.tracks.map((track) => track.samples).join();
  const expected = allOf(tracks)
    .map((track) => track.samples)
    .join();
  if (samples !== expected) {
    throw new JobError('OUTPUT_MISMATCH', `the tracks have ${samples} samples instead of ${expected}`);
  }
  const seconds = endSeconds(tracks);
  // an edit list removes up to the encoder's delay from the end of the audio
  if (Math.abs(movie.durationSeconds - seconds) > 0.1) {
    throw new JobError('OUTPUT_MISMATCH', `the file lasts ${movie.durationSeconds} s instead of ${seconds} s`);
  }
  return { files: [await uploadFile(context, local, file)], durationSeconds: movie.durationSeconds, segments: [] };
}

/** Fetching is the first half of the job, copying a fifth. */
const copyProgress =
  (context: Context, tracks: Tracks) =>
  ({ outSeconds }: Progress): void => {
    context.reportProgress(0.5 + 0.2 * Math.min(1, outSeconds / endSeconds(tracks)));
  };

/**
 * The segments must have every frame, and each must start with a key frame. Returns the time stamp of the first frame,
 * in ticks of 90 kHz.
 */
async function checkSegments(paths: string[], tracks: Tracks): Promise<number> {
  let [videoFrames, audioFrames] = [0, 0];
  let firstTicks: number | undefined;
  for (const path of paths) {
    const { video, audio, problems } = readTransportStream(await readFile(path));
    firstTicks ??= tracks.video ? video?.ticks[0] : audio?.startTicks;
    videoFrames += video?.ticks.length ?? 0;
    audioFrames += audio?.frames ?? 0;
    if (problems[0]) throw new JobError('OUTPUT_MISMATCH', problems[0]);
    if (video?.startsWithKeyFrame === false) {
      throw new JobError('OUTPUT_MISMATCH', 'a segment does not start with a key frame');
    }
  }
  const expected = [tracks.video?.samples ?? 0, tracks.audio[0]?.samples ?? 0];
  if (videoFrames !== expected[0] || audioFrames !== expected[1]) {
    throw new JobError(
      'OUTPUT_MISMATCH',
      `the segments have ${[videoFrames, audioFrames]} frames instead of ${expected}`,
    );
  }
  return firstTicks ?? 0;
}

async function packHlsTs(context: Context, tracks: Tracks): Promise<Packaged> {
  const { spec, folder } = context;
  const args = hlsTsArgs(tracks, cutSeconds(tracks, spec.segmentSeconds));
  await runFfmpeg(context, { args, onProgress: copyProgress(context, tracks) });
  context.reportProgress(0.7);
  const entries = readSegmentList(await readFile(join(folder, 'list.m3u8'), 'utf8'));
  const firstTicks = await checkSegments(
    entries.map(({ file }) => join(folder, file)),
    tracks,
  );
  const bytesOf = new Map<string, number>();
  const queue = createUploadQueue(async (name: string) => {
    const { file, bytes } = await uploadFile(context, name);
    bytesOf.set(file, bytes);
    context.reportProgress(0.7 + (0.3 * bytesOf.size) / entries.length);
  });
  for (const { file } of entries) queue.push(file);
  await queue.drain();
  const files = entries.map(({ file }) => ({ file, bytes: bytesOf.get(file)! }));
  let seconds = 0;
  const segments = entries.map(({ durationSeconds }, n) => {
    const startTicks = Math.round(seconds * 1000);
    seconds += durationSeconds;
    return { ...files[n]!, startTicks, durationTicks: Math.round(seconds * 1000) - startTicks };
  });
  const expectedSeconds = (tracks.video ?? tracks.audio[0])?.durationSeconds ?? 0;
  if (Math.abs(seconds - expectedSeconds) > 0.1) {
    throw new JobError('OUTPUT_MISMATCH', `the segments last ${seconds} s instead of ${expectedSeconds} s`);
  }
  // The muxer adds a delay to all time stamps. Captions, which players show by time stamps, need it.
  const { startSeconds = 0 } = tracks.video ?? tracks.audio[0] ?? {};
  const clockStartTicks = firstTicks - Math.round(startSeconds * 90_000);
  return { files, durationSeconds: seconds, segments, clockStartTicks };
}

/**
 * Segment duration for the muxer. With video it cuts at the segments of the rendition, which are whole GOPs: at the
 * first key frame at or after n × this duration, which is reduced by an amount that adds up to 10 ms, less than a
 * frame, over the track.
 */
function cutSeconds({ video, audio }: Tracks, segmentSeconds: number): number {
  if (video?.partSeconds[0]) return video.partSeconds[0] - 0.01 / video.partSeconds.length;
  const { durationSeconds = 0, samples = 0 } = audio[0] ?? {};
  if (samples === 0) return segmentSeconds;
  return audioSegmentSeconds(segmentSeconds, { durationSeconds, packetSeconds: durationSeconds / samples });
}
