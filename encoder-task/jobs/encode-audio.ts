import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { EncodeAudioSpec, JobResult } from '../../shared/protocol/jobs.ts';
import {
  type AudioInput,
  type AudioRun,
  encodeAudioArgs,
  measureFinishedArgs,
  measureLoudnessArgs,
  pcmArgs,
} from '../ffmpeg/audio-args.ts';
import { audioDamage } from '../ffmpeg/output/damage-warnings.ts';
import { undecodablePart } from '../ffmpeg/output/failure.ts';
import { type Loudness, readFinishedLoudness, readLoudness } from '../ffmpeg/output/loudness.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { readTrackFiles, type TrackOnDisk } from '../isobmff/track-on-disk.ts';
import { describeTrack } from '../probe/describe-track.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import type { SourceServer } from '../source/source-server.ts';
import { uploadFile } from '../transfer/upload.ts';
import { uploadWhileWritten } from '../transfer/upload-while-written.ts';
import { isContinuous } from './is-continuous.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<EncodeAudioSpec>;

/** Encodes one whole audio track and uploads its segments. */
export async function encodeAudio(context: Context): Promise<JobResult<'encode-audio'>> {
  const { streamIndex } = context.spec.rendition;
  const source = await openSource(context, { decodes: { streamIndex, keyFramesOnly: false }, clock: context.spec });
  try {
    const { result, cpuSeconds } = await measureCpu(() => encodeTrack(context, source));
    return { ...result, durationSeconds: durationOf(result.track), cpuSeconds };
  } finally {
    source.close();
  }
}

const durationOf = ({ segments, timescale }: EncodedTrack): number =>
  segments.reduce((sum, segment) => sum + segment.durationTicks, 0) / timescale;

async function encodeTrack(
  context: Context,
  source: SourceServer,
): Promise<{ track: EncodedTrack; warnings: string[] }> {
  const { track: direct, stderrTail } = await encodeFrom(context, { sourceUrl: source.url }, source);
  const warnings = audioDamage({ stderrTail });
  if (isContinuous(direct)) return { track: await publish(context, direct), warnings };
  context.log.warn('the audio format changes within the track: encoding again from a PCM copy');
  const pcmFile = 'pcm.nut';
  await runFfmpeg(context, {
    args: pcmArgs({ ...context.spec, isChained: isChained(context.spec) }, source.url, pcmFile),
    source,
  });
  const { track } = await encodeFrom(context, { pcmFile }, source);
  if (!isContinuous(track)) throw new JobError('OUTPUT_MISMATCH', `${track.name} has gaps or overlaps`);
  return { track: await publish(context, track), warnings };
}

/** Ogg streams one after another. For other containers, the source server makes the times continuous. */
const isChained = ({ formatName, clockSections = [] }: EncodeAudioSpec): boolean =>
  formatName === 'ogg' && clockSections.length > 0;

/**
 * Uploads the init segment and describes the track. The encoder pads the track to its planned end, so a shorter one is
 * incomplete.
 */
async function publish(context: Context, { samplesBySegment: _, ...track }: TrackOnDisk): Promise<EncodedTrack> {
  const { durationSeconds } = context.spec;
  const seconds = durationOf(track);
  if (seconds < durationSeconds - 0.001) {
    throw new JobError('OUTPUT_MISMATCH', `${track.name} lasts ${seconds} s instead of ${durationSeconds} s`);
  }
  await uploadFile(context, track.init.file);
  return { ...track, facts: { ...(await describeTrack(context, track)), loudnessLufs: await loudnessOf(context) } };
}

/** Only for a track with a target loudness, because the measurement decodes the whole track. */
async function loudnessOf(context: Context): Promise<number | undefined> {
  const { rendition } = context.spec;
  if (rendition.loudnessLufs === null) return undefined;
  const { stderrTail } = await runFfmpeg(context, { args: measureFinishedArgs(rendition) });
  return readFinishedLoudness(stderrTail);
}

async function encodeFrom(
  context: Context,
  input: AudioInput,
  source: SourceServer,
): Promise<{ track: TrackOnDisk; stderrTail: string }> {
  const { rendition, originSeconds, durationSeconds } = context.spec;
  const audioRun: AudioRun = { rendition, originSeconds, durationSeconds, isChained: isChained(context.spec), input };
  const folder = join(context.folder, rendition.name);
  // a segment of an earlier run would be taken for one of this run
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const measureShare = rendition.loudnessLufs === null ? 0 : 0.4;
  const progress = (from: number, to: number) => (done: { outSeconds: number }) =>
    context.reportProgress(from + (to - from) * Math.min(1, Math.max(0, done.outSeconds / durationSeconds)));

  let loudness: Loudness | null = null;
  if (rendition.loudnessLufs !== null) {
    const args = measureLoudnessArgs(audioRun);
    const measured = await runFfmpeg(context, { args, source, onProgress: progress(0, measureShare) });
    loudness = readLoudness(measured.stderrTail);
  }
  const args = encodeAudioArgs(audioRun, loudness);
  let stderrTail = '';
  const files = await uploadWhileWritten(context, [rendition.name], async () => {
    ({ stderrTail } = await runFfmpeg(context, { args, source, onProgress: progress(measureShare, 1) }));
  });
  if (files.length === 0) throw undecodablePart();
  return { track: await readTrackFiles(context.folder, rendition.name, files), stderrTail };
}
