import { gzipSync } from 'node:zlib';
import { maxDecisions } from '../../shared/protocol/decisions.ts';
import type { Hdr10 } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobResult, ProbeSpec } from '../../shared/protocol/jobs.ts';
import type { ProbeStream } from '../../shared/protocol/probe-document.ts';
import { type FrameIndex, maxSourceSeconds, type ProbeResult } from '../../shared/protocol/probe-result.ts';
import { describeCopy } from '../copy/describe-copy.ts';
import { firstFrameArgs, type ProbeInput } from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import { checkDamage } from '../probe/check-damage.ts';
import { hasDecoder } from '../probe/codec-name.ts';
import { describeAudio, limitAudio } from '../probe/describe-audio.ts';
import { describeVideo } from '../probe/describe-video.ts';
import { changesParameters } from '../probe/picture/changed-parameters.ts';
import { type FrameShape, mayChangeShape, readFrameShapes } from '../probe/picture/frame-shapes.ts';
import { readHdr10 } from '../probe/picture/hdr10.ts';
import { readTransparency } from '../probe/picture/transparency.ts';
import { readVisiblePart } from '../probe/picture/visible-part.ts';
import { publicMeta } from '../probe/public-meta.ts';
import { rejectDolbyVision } from '../probe/tracks/dolby-vision.ts';
import { checkTracks } from '../probe/unusable-track.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource, type Source } from '../source/open-source.ts';
import { describeText, readableText } from '../text/describe-text.ts';
import { findTelemetry } from '../text/telemetry.ts';
import { uploadBytes } from '../transfer/upload.ts';
import type { JobContext } from './job-context.ts';
import { readTracks } from './read-tracks.ts';

type Context = JobContext<ProbeSpec>;

/** A file with many damaged tracks would have too many warnings. */
const maxWarnings = 20;

/**
 * Describes a source: tracks and codecs from its headers, durations and frames from its packets. Uploads
 * `index.json.gz`.
 */
export async function probe(context: Context): Promise<JobResult<'probe'>> {
  const source = await openSource(context);
  try {
    const { result, cpuSeconds } = await measureCpu(() => inspect(context, source));
    return { ...result, cpuSeconds };
  } finally {
    source.close();
  }
}

async function inspect(context: Context, source: Source): Promise<Omit<ProbeResult, 'cpuSeconds'>> {
  const tracks = await readTracks(context, source, context.spec.tracks);
  const { document, used, index, probeBytes, messages, chapters } = tracks;
  const formatName = document.format.format_name;
  if (!tracks.video && tracks.audio.length === 0) {
    throw new JobError('INPUT_NO_TRACKS', 'The file has neither a video nor an audio track. Upload a file with one.');
  }
  const video = await describeChosenVideo(context, source, tracks);
  const copy = video && (await describeCopy(source, index.movie, video.track));
  const audio = tracks.audio
    .filter(hasDecoder)
    .flatMap((stream) => describeAudio(stream, index.audio.get(stream.index)) ?? []);
  const durationSeconds = video || audio.length > 0 ? spanSeconds(video?.track, audio) : 0;
  const damage = checkDamage({ document: used, video: tracks.video, index, durationSeconds });
  const usable = new Set([...(video ? [video.track] : []), ...audio].map(({ streamIndex }) => streamIndex));
  const evidence = { document: used, head: source.head, messages, index };
  const leftOut = checkTracks({ video: tracks.video, audio: tracks.audio, usable }, evidence);
  if (durationSeconds > maxSourceSeconds) {
    throw new JobError(
      'INPUT_TOO_LARGE',
      'The timestamps of the file span more than a hundred days. Upload a shorter file, or one with correct timestamps.',
    );
  }
  const input = { url: source.url, probeBytes };
  const telemetry = await findTelemetry(context, input, used, {
    textStreams: readableText(used),
    survey: index.survey,
  });
  const text = describeText(used, telemetry);
  const limited = limitAudio(audio);
  if (video) {
    const frames: FrameIndex = { ...video.index, copy: copy?.index };
    await uploadBytes(context, 'index.json.gz', gzipSync(JSON.stringify(frames)));
  }
  return {
    formatName,
    sizeBytes: source.totalBytes,
    durationSeconds,
    video: video ? { ...video.track, ...(copy ? { copy: copy.properties } : {}) } : null,
    audio: limited.audio,
    ...(text.tracks.length > 0 ? { textTracks: text.tracks } : {}),
    ...(chapters > 0 ? { chapterCount: chapters } : {}),
    clockSections: index.clockSections,
    ...(probeBytes === undefined ? {} : { probeBytes }),
    meta: publicMeta(document),
    warnings: [...damage, ...tracks.warnings, ...leftOut, ...text.warnings].slice(0, maxWarnings),
    decisions: [...tracks.decisions, ...(video?.decisions ?? []), ...limited.decisions, ...text.decisions].slice(
      0,
      maxDecisions,
    ),
  };
}

async function describeChosenVideo(context: Context, source: Source, tracks: Tracks) {
  const { document, video, fields, index, probeBytes } = tracks;
  if (!video || !hasDecoder(video)) return undefined;
  rejectDolbyVision(video);
  const { interlaced, closedCaptions } = fields;
  const isPq = video.color_transfer === 'smpte2084';
  const hdr10 = isPq ? await findHdr10(context, { url: source.url, probeBytes }, video.index) : null;
  const formatName = document.format.format_name;
  return describeVideo(video, index.video, {
    formatName,
    hdr10,
    interlaced,
    closedCaptions,
    editShifts: index.editShifts,
    shapes: await frameShapes(context, source, video, tracks),
    visible: readVisiblePart(video, source),
    transparency: readTransparency(video, source.head),
  });
}

/** See `readFrameShapes`. Joined recordings are read with the times of the index. */
async function frameShapes(
  context: Context,
  source: Source,
  stream: ProbeStream,
  { document, index, probeBytes }: Tracks,
): Promise<FrameShape[]> {
  const formatName = document.format.format_name;
  const { clockSections, movie } = index;
  if (!mayChangeShape(stream, formatName) && !(await changesParameters(source, movie, stream.index))) return [];
  const read = ({ url }: { url: string }) =>
    readFrameShapes(context, { url, probeBytes }, { stream, formatName }, index.video.frames);
  if (clockSections.length === 0) return read(source);
  const continuous = await openSource(context, { clock: { formatName, clockSections } });
  try {
    return await read(continuous);
  } finally {
    continuous.close();
  }
}

type Tracks = Awaited<ReturnType<typeof readTracks>>;

/** Null also when the first frame cannot be decoded: the video is then encoded without HDR10 metadata. */
async function findHdr10(context: Context, input: ProbeInput, streamIndex: number): Promise<Hdr10 | null> {
  const { document } = await runFfprobe(context, firstFrameArgs(input, streamIndex));
  return document === undefined ? null : readHdr10(document);
}

/** From the first presented frame or sample to the last. */
function spanSeconds(video: ProbeResult['video'] | undefined, audio: ProbeResult['audio']): number {
  const starts = audio.map((track) => track.startSeconds);
  const ends = audio.map((track) => track.startSeconds + track.durationSeconds);
  if (video) {
    const tickSeconds = video.timeBase.num / video.timeBase.den;
    starts.push(video.startPts * tickSeconds);
    ends.push(video.endPts * tickSeconds);
  }
  return Math.max(...ends) - Math.min(...starts);
}
