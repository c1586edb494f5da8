import { gzipSync } from 'node:zlib';
import type { Hdr10 } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobResult, ProbeSpec } from '../../shared/protocol/jobs.ts';
import { type ProbeDocument, type ProbeStream, probeDocumentSchema } from '../../shared/protocol/probe-document.ts';
import { type FrameIndex, maxSourceSeconds, type ProbeResult } from '../../shared/protocol/probe-result.ts';
import { describeCopy } from '../copy/describe-copy.ts';
import { describeArgs, firstFrameArgs, firstFramesArgs } from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import { checkDamage } from '../probe/check-damage.ts';
import { hasDecoder, isUnknownAudio, isUnknownVideo } from '../probe/codec-name.ts';
import { describeAudio } from '../probe/describe-audio.ts';
import { describeVideo } from '../probe/describe-video.ts';
import { type Fields, mayHaveFields, readFields } from '../probe/field-pairs.ts';
import { readHdr10 } from '../probe/hdr10.ts';
import { indexPackets } from '../probe/index-packets.ts';
import { rejectProtected } from '../probe/protection.ts';
import { isCoverArt, publicMeta } from '../probe/public-meta.ts';
import { notMedia, unreadableFile } from '../probe/unreadable-file.ts';
import { checkTracks } from '../probe/unusable-track.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource, type Source } from '../source/open-source.ts';
import { hasClosedCaptions, mayHaveClosedCaptions } from '../text/closed-captions.ts';
import { chapterCount, describeText } from '../text/describe-text.ts';
import { uploadBytes } from '../transfer/upload.ts';
import type { JobContext } from './job-context.ts';

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
  const { document, chapters, messages } = await describe(context, source);
  context.reportProgress(0.1);
  rejectProtected(document, source);
  const formatName = document.format.format_name;
  const videoStream = document.streams.find((stream) => isVideo(stream, formatName));
  const audioStreams = document.streams.filter((stream) => isAudio(stream, formatName));
  if (!videoStream && audioStreams.length === 0) {
    throw new JobError('INPUT_NO_TRACKS', 'The file has neither a video nor an audio track. Upload a file with one.');
  }
  const { closedCaptions, ...fields } = await readFirstFrames(context, source, videoStream);
  const index = await indexPackets(context, source, { document, video: videoStream, frameTicks: fields.frameTicks });
  const hdr10 =
    videoStream?.color_transfer === 'smpte2084' ? await findHdr10(context, source, videoStream.index) : null;
  const { interlaced } = fields;
  const video =
    videoStream && hasDecoder(videoStream)
      ? describeVideo(videoStream, index.video, {
          ...{ formatName, hdr10, interlaced, closedCaptions },
          editShifts: index.editShifts,
        })
      : undefined;
  const copy = video && (await describeCopy(source, index.movie, video.track));
  const audio = audioStreams
    .filter(hasDecoder)
    .flatMap((stream) => describeAudio(stream, index.audio.get(stream.index)) ?? []);
  const durationSeconds = video || audio.length > 0 ? spanSeconds(video?.track, audio) : 0;
  const damage = checkDamage({ document, video: videoStream, index, durationSeconds });
  const usable = new Set([...(video ? [video.track] : []), ...audio].map(({ streamIndex }) => streamIndex));
  const evidence = { document, head: source.head, messages, index };
  const leftOut = checkTracks({ video: videoStream, audio: audioStreams, usable }, evidence);
  if (durationSeconds > maxSourceSeconds) {
    throw new JobError(
      'INPUT_TOO_LARGE',
      'The timestamps of the file span more than a hundred days. Upload a shorter file, or one with correct timestamps.',
    );
  }
  const text = describeText(document);
  if (video) {
    const frames: FrameIndex = { ...video.index, copy: copy?.index };
    await uploadBytes(context, 'index.json.gz', gzipSync(JSON.stringify(frames)));
  }
  return {
    formatName,
    sizeBytes: source.totalBytes,
    durationSeconds,
    video: video ? { ...video.track, ...(copy ? { copy: copy.facts } : {}) } : null,
    audio: audio.slice(0, 64),
    ...(text.tracks.length > 0 ? { textTracks: text.tracks } : {}),
    ...(chapters > 0 ? { chapterCount: chapters } : {}),
    clockSections: index.clockSections,
    meta: publicMeta(document),
    warnings: [...damage, ...leftOut, ...text.warnings].slice(0, maxWarnings),
    decisions: [],
  };
}

const isVideo = (stream: ProbeStream, formatName: string): boolean =>
  (stream.codec_type === 'video' && !isCoverArt(stream)) || isUnknownVideo(stream, formatName);

const isAudio = (stream: ProbeStream, formatName: string): boolean =>
  stream.codec_type === 'audio' || isUnknownAudio(stream, formatName);

type Description = { document: ProbeDocument; chapters: number; messages: string };

async function describe(context: Context, source: Source): Promise<Description> {
  const { document, ...ended } = await runFfprobe(context, describeArgs(source.url));
  const sourceFailure = source.failure();
  if (sourceFailure) throw sourceFailure;
  if (ended.exitCode !== 0) throw unreadableFile(ended, source, context.limits.memoryBytes);
  const parsed = probeDocumentSchema.safeParse(document);
  if (!parsed.success) throw notMedia();
  return { document: parsed.data, chapters: chapterCount(document), messages: ended.stderrTail };
}

/** Null also when the first frame cannot be decoded: the video is then encoded without HDR10 metadata. */
async function findHdr10(context: Context, source: Source, streamIndex: number): Promise<Hdr10 | null> {
  const { document } = await runFfprobe(context, firstFrameArgs(source.url, streamIndex));
  return document === undefined ? null : readHdr10(document);
}

/** Whether frames are interlaced, whether their fields may be separate packets, and whether they carry captions. */
async function readFirstFrames(
  context: Context,
  source: Source,
  stream: ProbeStream | undefined,
): Promise<Fields & { closedCaptions: boolean }> {
  const readsFields = stream !== undefined && mayHaveFields(stream);
  if (!stream || !(readsFields || mayHaveClosedCaptions(stream))) return noFields;
  const packets = readsFields ? fieldPackets : captionPackets;
  const { document } = await runFfprobe(context, firstFramesArgs(source.url, stream.index, packets));
  if (document === undefined) return noFields;
  return { ...(readsFields ? readFields(document) : noFields), closedCaptions: hasClosedCaptions(document) };
}

const noFields = { interlaced: false, frameTicks: null, closedCaptions: false };

/** About two seconds of an interlaced source. */
const fieldPackets = 100;
/** Captions are in every frame, also while nothing is said. */
const captionPackets = 12;

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
