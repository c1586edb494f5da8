import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../../shared/job-errors.ts';
import type { JobResult, PackageSpec } from '../../shared/jobs.ts';
import { measureCpu } from '../ffmpeg/child-cpu.ts';
import { hlsTsArgs, type LocalTracks, mp4Args } from '../ffmpeg/copy-tracks.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import type { JobContext } from '../job-context.ts';
import { readCodecString } from '../media/codec-string.ts';
import { readMovie } from '../media/read-movie.ts';
import { readMovieBox } from '../media/read-movie-box.ts';
import { readPlaylist } from '../media/read-playlist.ts';
import { downloadJoined } from '../store/download.ts';
import { uploadFile } from '../store/upload.ts';
import { createUploadQueue } from '../store/upload-queue.ts';

type Context = JobContext<PackageSpec>;
type Packaged = Omit<JobResult<'package'>, 'cpuSeconds' | 'codecs'>;

/** Copies finished tracks into a progressive MP4 or into MPEG-TS segments, without encoding. */
export async function packageTracks(context: Context): Promise<JobResult<'package'>> {
  const tracks = await fetchTracks(context);
  context.reportProgress(0.5);
  const codecs = await codecsOf(context, tracks);
  const pack = context.spec.format === 'mp4' ? packMp4 : packHlsTs;
  const { result, cpuSeconds } = await measureCpu(() => pack(context, tracks));
  return { ...result, codecs, cpuSeconds };
}

async function fetchTracks(context: Context): Promise<LocalTracks> {
  const { video, audio } = context.spec;
  const fetchTrack = async ({ name, parts }: { name: string; parts: number }, file: string): Promise<string> => {
    const roles = Array.from({ length: parts }, (_, n) => `${name}/${n}`);
    await downloadJoined(context, roles, join(context.folder, file));
    return file;
  };
  const local: LocalTracks = { video: video && (await fetchTrack(video, 'video.fmp4')), audio: [] };
  for (const [n, track] of audio.entries()) {
    local.audio.push({ file: await fetchTrack(track, `audio-${n}.fmp4`), language: track.language });
  }
  return local;
}

async function codecsOf({ folder }: Context, { video, audio }: LocalTracks): Promise<string> {
  const files = [...(video ? [video] : []), ...audio.map(({ file }) => file)];
  const strings = await Promise.all(files.map(async (file) => readCodecString(await readMovieBox(join(folder, file)))));
  return [...new Set(strings)].join(',');
}

async function packMp4(context: Context, tracks: LocalTracks): Promise<Packaged> {
  const { spec, folder, outputs } = context;
  const file = Object.keys(outputs)[0];
  if (file === undefined) throw new JobError('OUTPUT_MISMATCH', 'the lease has no place for the file');
  const local = 'packaged.mp4';
  await runFfmpeg(context, { args: mp4Args(tracks, spec.faststart, local) });
  context.reportProgress(0.7);
  const movie = await readMovie(join(folder, local));
  const frames = movie.tracks.find((track) => track.handler === 'vide')?.samples ?? 0;
  if (spec.video && frames !== spec.video.frameCount) {
    throw new JobError('OUTPUT_MISMATCH', `the file has ${frames} frames instead of ${spec.video.frameCount}`);
  }
  if (movie.tracks.length !== tracks.audio.length + (tracks.video ? 1 : 0)) {
    throw new JobError('OUTPUT_MISMATCH', `the file has ${movie.tracks.length} tracks`);
  }
  const uploaded = await uploadFile(context, local, file);
  return { files: [uploaded], durationSeconds: movie.durationSeconds, segments: [] };
}

async function packHlsTs(context: Context, tracks: LocalTracks): Promise<Packaged> {
  const { spec, folder } = context;
  await runFfmpeg(context, { args: hlsTsArgs(tracks, spec.segmentSeconds) });
  context.reportProgress(0.7);
  const entries = readPlaylist(await readFile(join(folder, 'list.m3u8'), 'utf8'));
  const files: Packaged['files'] = [];
  const queue = createUploadQueue(async (file) => files.push(await uploadFile(context, file)));
  for (const { file } of entries) queue.push(file);
  await queue.drain();
  const bytesOf = new Map(files.map(({ file, bytes }) => [file, bytes]));
  let startMs = 0;
  const segments = entries.map(({ file, durationSeconds }) => {
    const startTicks = Math.round(startMs);
    startMs += durationSeconds * 1000;
    return { file, bytes: bytesOf.get(file)!, startTicks, durationTicks: Math.round(startMs) - startTicks };
  });
  if (Math.abs(startMs / 1000 - spec.durationSeconds) > Math.max(1, spec.durationSeconds * 0.01)) {
    throw new JobError('OUTPUT_MISMATCH', `the segments last ${startMs / 1000} s instead of ${spec.durationSeconds} s`);
  }
  return {
    files: entries.map(({ file }) => ({ file, bytes: bytesOf.get(file)! })),
    durationSeconds: startMs / 1000,
    segments,
  };
}
