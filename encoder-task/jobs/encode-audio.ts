import { preRollSeconds, seeksByIndex } from '../../shared/media/seek.ts';
import type { EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { EncodeAudioSpec, JobResult } from '../../shared/protocol/jobs.ts';
import {
  type AudioRun,
  encodeAudioArgs,
  measureFinishedArgs,
  measureLoudnessArgs,
  pcmArgs,
  streamsOf,
} from '../ffmpeg/audio-args.ts';
import { audioDamage } from '../ffmpeg/output/damage-warnings.ts';
import { undecodablePart } from '../ffmpeg/output/failure.ts';
import { type Loudness, readFinishedLoudness, readLoudness } from '../ffmpeg/output/loudness.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import type { TrackOnDisk } from '../isobmff/track-on-disk.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import type { SourceServer } from '../source/source-server.ts';
import { encodeTracks } from './encode-tracks.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<EncodeAudioSpec>;

/** Encodes one whole audio track and uploads its segments. */
export async function encodeAudio(context: Context): Promise<JobResult<'encode-audio'>> {
  const source = await openSource(context, {
    decodes: { streamIndexes: streamsOf(context.spec.rendition), keyFramesOnly: false },
    part: context.spec.part,
    clock: context.spec,
  });
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
  const { probeBytes, part } = context.spec;
  const input = { sourceUrl: source.url, probeBytes, seekSeconds: seekSeconds(context.spec) };
  const { track: direct, stderrTail } = await encodeFrom(context, source, { run: 1, input });
  const warnings = audioDamage({ stderrTail });
  if (isContinuous(direct)) return { track: await finish(context, direct), warnings };
  context.log.warn('the audio format changes within the track: encoding again from a PCM copy');
  const pcmFile = 'pcm.nut';
  await runFfmpeg(context, {
    args: pcmArgs({ ...context.spec, isChained: isChained(context.spec), part }, input, pcmFile),
    source,
  });
  const { track } = await encodeFrom(context, source, { run: 2, input: { pcmFile } });
  if (!isContinuous(track)) throw new JobError('OUTPUT_MISMATCH', `${track.name} has gaps or overlaps`);
  return { track: await finish(context, track), warnings };
}

/** Ogg streams one after another. For other containers, the source server makes the times continuous. */
const isChained = ({ formatName, clockSections = [] }: EncodeAudioSpec): boolean =>
  formatName === 'ogg' && clockSections.length > 0;

/** Where to begin to read a part of a source; null for the beginning of the file. */
function seekSeconds(spec: EncodeAudioSpec): number | null {
  const { formatName, part } = spec;
  if (typeof part?.soundFromSeconds !== 'number' || isChained(spec) || !keepsTimes(formatName)) return null;
  return part.soundFromSeconds - (seeksByIndex(formatName) ? 0 : preRollSeconds);
}

/** Other demuxers of sound estimate times after a seek, or make them up. */
const keepsTimes = (formatName: string): boolean =>
  seeksByIndex(formatName) || ['mpegts', 'wav', 'flac'].includes(formatName);

/**
 * Gaps below FFmpeg's default of 100 ms break lip sync. In MPEG-PS, FFmpeg gives a packet the time of the next one when
 * its first bytes are in an earlier PES packet, which is neither a gap nor an overlap: one packet of AC-3 lasts 32 ms.
 */
const shortestGapSeconds = ({ formatName }: EncodeAudioSpec): number => (formatName === 'mpeg' ? 0.04 : 0.02);

/** The encoder pads the track to its planned end, so a shorter one is incomplete. */
async function finish(context: Context, { samplesBySegment: _, ...track }: TrackOnDisk): Promise<EncodedTrack> {
  const { durationSeconds } = context.spec;
  const seconds = durationOf(track);
  if (seconds < durationSeconds - 0.001) {
    throw new JobError('OUTPUT_MISMATCH', `${track.name} lasts ${seconds} s instead of ${durationSeconds} s`);
  }
  return { ...track, facts: { ...track.facts, loudnessLufs: await loudnessOf(context) } };
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
  source: SourceServer,
  { run, input }: Pick<AudioRun, 'run' | 'input'>,
): Promise<{ track: TrackOnDisk; stderrTail: string }> {
  const { rendition, originSeconds, durationSeconds } = context.spec;
  const read = 'sourceUrl' in input ? { source } : {};
  const audioRun: AudioRun = {
    rendition,
    originSeconds,
    durationSeconds,
    input,
    run,
    isChained: isChained(context.spec),
    shortestGapSeconds: shortestGapSeconds(context.spec),
  };
  const measureShare = rendition.loudnessLufs === null ? 0 : 0.4;
  const progress = (from: number, to: number) => (done: { outSeconds: number }) =>
    context.reportProgress(from + (to - from) * Math.min(1, Math.max(0, done.outSeconds / durationSeconds)));

  let loudness: Loudness | null = null;
  if (rendition.loudnessLufs !== null) {
    const args = measureLoudnessArgs(audioRun);
    const measured = await runFfmpeg(context, { args, ...read, onProgress: progress(0, measureShare) });
    loudness = readLoudness(measured.stderrTail);
  }
  const args = encodeAudioArgs(audioRun, loudness);
  let stderrTail = '';
  const encode = async (signal: AbortSignal): Promise<void> => {
    const onProgress = progress(measureShare, 1);
    ({ stderrTail } = await runFfmpeg({ ...context, signal }, { args, ...read, onProgress }));
  };
  // The track of the second run may begin differently, so its segments are not for viewers who have begun to play.
  const isReported = run === 1;
  const segments = { from: 0, to: Number.POSITIVE_INFINITY };
  const tracksRun = {
    names: [rendition.name],
    run,
    segments,
    areDescribed: true,
    isReported,
    emptyError: undecodablePart,
  };
  const [track] = await encodeTracks(context, tracksRun, encode);
  return { track: track!, stderrTail };
}

/**
 * Whether the frames of an audio track are continuous from decode time 0. All frames except the last have the same
 * duration.
 */
function isContinuous({ segments, samplesBySegment }: TrackOnDisk): boolean {
  let ticks = 0;
  for (const segment of segments) {
    if (segment.startTicks !== ticks) return false;
    ticks += segment.durationTicks;
  }
  const samples = samplesBySegment.flat();
  return samples.slice(0, -1).every((sample) => sample.durationTicks === samples[0]?.durationTicks);
}
