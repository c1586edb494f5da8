import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodeAudioSpec, JobResult } from '../../shared/jobs.ts';
import { type AudioRun, encodeAudioArgs, type Loudness, measureLoudnessArgs } from '../ffmpeg/audio.ts';
import { measureCpu } from '../ffmpeg/child-cpu.ts';
import { nothingDecodes } from '../ffmpeg/failure.ts';
import { readLoudness } from '../ffmpeg/loudness.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import type { JobContext } from '../job-context.ts';
import { checkContinuous } from '../media/check-continuous.ts';
import { readTrack } from '../media/read-track.ts';
import { inputUrl } from '../store/input-url.ts';
import { type SourceServer, serveSource } from '../store/source-server.ts';
import { uploadFile } from '../store/upload.ts';
import { uploadWhileWritten } from '../store/upload-while-written.ts';

/** Encodes one audio track from its first to its last sample and uploads its segments. */
export async function encodeAudio(context: JobContext<EncodeAudioSpec>): Promise<JobResult<'encode-audio'>> {
  const source = await serveSource(inputUrl(context, 'source'), context.signal);
  try {
    const { result: track, cpuSeconds } = await measureCpu(() => encodeTrack(context, source));
    const ticks = track.segments.reduce((sum, segment) => sum + segment.durationTicks, 0);
    return { track, durationSeconds: ticks / track.timescale, cpuSeconds };
  } finally {
    source.close();
  }
}

async function encodeTrack(context: JobContext<EncodeAudioSpec>, source: SourceServer) {
  const { rendition, originSeconds, durationSeconds } = context.spec;
  const audioRun: AudioRun = { rendition, originSeconds, sourceUrl: source.url };
  await mkdir(join(context.folder, rendition.name), { recursive: true });
  const shareOfMeasuring = rendition.loudnessLufs === null ? 0 : 0.4;
  const progress = (from: number, to: number) => (done: { outSeconds: number }) =>
    context.reportProgress(from + (to - from) * Math.min(1, Math.max(0, done.outSeconds / durationSeconds)));

  let loudness: Loudness | null = null;
  if (rendition.loudnessLufs !== null) {
    const args = measureLoudnessArgs(audioRun);
    const measured = await runFfmpeg(context, { args, source, onProgress: progress(0, shareOfMeasuring) });
    loudness = readLoudness(measured.stderrTail);
  }
  const args = encodeAudioArgs(audioRun, loudness);
  const files = await uploadWhileWritten(context, [rendition.name], () =>
    runFfmpeg(context, { args, source, onProgress: progress(shareOfMeasuring, 1) }),
  );
  if (files.length === 0) throw nothingDecodes();
  const { samplesBySegment: _, ...track } = await readTrack(context.folder, rendition.name, files);
  checkContinuous(track);
  await uploadFile(context, track.init.file);
  return track;
}
