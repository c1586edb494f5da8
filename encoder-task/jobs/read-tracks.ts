import { type AskedTracks, missingTrack } from '../../shared/protocol/asked-tracks.ts';
import type { Decision } from '../../shared/protocol/decisions.ts';
import { type ProbeDocument, type ProbeStream, probeDocumentSchema } from '../../shared/protocol/probe-document.ts';
import { maxProbeBytes } from '../../shared/protocol/probe-result.ts';
import { describeArgs, firstFramesArgs } from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import { isUnknownAudio, isUnknownVideo } from '../probe/codec-name.ts';
import { type Fields, mayHaveFields, readFields } from '../probe/field-pairs.ts';
import { type Indexed, indexPackets } from '../probe/index-packets.ts';
import { withEnabledFlags } from '../probe/matroska.ts';
import { rejectProtected } from '../probe/protection.ts';
import { isCoverArt } from '../probe/public-meta.ts';
import { chooseVideo, describeChoice } from '../probe/tracks/choose-video.ts';
import { bytesToProbe, lacksParameters, programStreamBytes } from '../probe/tracks/late-parameters.ts';
import type { Survey } from '../probe/tracks/packet-survey.ts';
import { type Program, programsOf, streamsOfProgram } from '../probe/tracks/programs.ts';
import { notMedia, rejectPicture, unreadableFile } from '../probe/unreadable-file.ts';
import type { ProcessContext } from '../runtime/run-process.ts';
import type { Source } from '../source/open-source.ts';
import { hasClosedCaptions, mayHaveClosedCaptions } from '../text/closed-captions.ts';
import { chapterCount } from '../text/describe-text.ts';

type Context = ProcessContext & { reportProgress: (fraction: number) => void };

/** What ffprobe finds in the headers. `probeBytes`: see `ProbeResult`. */
type Description = {
  document: ProbeDocument;
  programs: Program[];
  chapters: number;
  messages: string;
  probeBytes: number | undefined;
};

/** `used` has the streams that belong to the chosen video. */
type Chosen = Description & {
  used: ProbeDocument;
  video: ProbeStream | undefined;
  audio: ProbeStream[];
  decisions: Decision[];
  warnings: string[];
};

type Read = { fields: Fields & { closedCaptions: boolean }; index: Indexed };

/**
 * Finds the tracks of a source, chooses those that are used, and indexes their packets. What headers do not tell is
 * known after the packets were read: which video track has the frames, and where a stream starts that FFmpeg could not
 * describe. Then headers and packets are read once more, if the result would be another one. The tracks that a template
 * names are used as they are.
 * @throws JobError INPUT_TRACK_MISSING for a video track that a template names and the file does not have
 */
export async function readTracks(context: Context, source: Source, asked: AskedTracks = {}): Promise<Chosen & Read> {
  const guessed = choose(await describeSource(context, source), asked);
  const read = await readPackets(context, source, guessed);
  const { survey } = read.index;
  const probeBytes = bytesToProbe(guessed.document, survey);
  const chosen = choose(
    probeBytes === undefined ? guessed : await probeMore(context, source, guessed, probeBytes),
    asked,
    survey,
  );
  requireVideo(chosen, asked);
  return { ...chosen, ...(readsTheSame(guessed, chosen) ? read : await readPackets(context, source, chosen)) };
}

const readsTheSame = (guessed: Chosen, { video, probeBytes }: Chosen): boolean =>
  guessed.video?.index === video?.index &&
  !(guessed.video && video && lacksParameters(guessed.video) && !lacksParameters(video)) &&
  guessed.probeBytes === probeBytes;

function choose(description: Description, asked: AskedTracks, survey?: Survey): Chosen {
  const { document, programs } = description;
  const formatName = document.format.format_name;
  const video = document.streams.filter((stream) => isVideo(stream, formatName));
  const named = video.find(({ index }) => index === asked.video);
  const choice = named ? { video: named, leftOut: [] } : chooseVideo(video, survey);
  const sound = document.streams.filter((stream) => isAudio(stream, formatName));
  const program = streamsOfProgram(document.streams, programs, choice.video ?? sound[0]);
  const isAsked = ({ index }: ProbeStream): boolean => asked.audio?.includes(index) === true;
  const inProgram = (stream: ProbeStream): boolean => program.streams.includes(stream) || isAsked(stream);
  const described = describeChoice({ ...choice, leftOut: choice.leftOut.filter(({ stream }) => inProgram(stream)) });
  return {
    ...description,
    used: { ...document, streams: document.streams.filter(inProgram) },
    video: choice.video,
    audio: sound.filter(inProgram),
    decisions: [...program.decisions, ...described.decisions],
    warnings: [...program.decisions.map(({ message }) => message), ...described.warnings],
  };
}

/** Streams that headers do not show may be found with the packets, so this is known when these were read. */
function requireVideo({ document, video }: Chosen, asked: AskedTracks): void {
  if (asked.video === undefined || asked.video === video?.index) return;
  const formatName = document.format.format_name;
  const found = document.streams.filter((stream) => isVideo(stream, formatName)).map(({ index }) => index);
  throw missingTrack('video', asked.video, found);
}

const isVideo = (stream: ProbeStream, formatName: string): boolean =>
  (stream.codec_type === 'video' && !isCoverArt(stream)) || isUnknownVideo(stream, formatName);

const isAudio = (stream: ProbeStream, formatName: string): boolean =>
  stream.codec_type === 'audio' || isUnknownAudio(stream, formatName);

async function describeSource(context: Context, source: Source): Promise<Description> {
  rejectPicture(source.head);
  const described = await describe(context, source);
  rejectProtected(described.document, source);
  context.reportProgress(0.1);
  if (described.document.format.format_name !== 'mpeg') return described;
  return probeMore(context, source, described, programStreamBytes);
}

/** Jobs have to read as much when it shows more streams. */
async function probeMore(
  context: Context,
  source: Source,
  before: Description,
  probeBytes: number,
): Promise<Description> {
  const described = await describe(context, source, probeBytes);
  const known = before.document.streams.length;
  const { streams } = described.document;
  if (streams.length <= known) return described;
  if (probeBytes <= maxProbeBytes) return { ...described, probeBytes };
  return { ...described, document: { ...described.document, streams: streams.slice(0, known) } };
}

async function describe(context: Context, source: Source, probeBytes?: number): Promise<Description> {
  const { wallSeconds, stallSeconds } = context.limits;
  // a large part of a file is read without any output
  const limits = { ...context.limits, stallSeconds: probeBytes === undefined ? stallSeconds : wallSeconds };
  const args = describeArgs({ url: source.url, probeBytes });
  const { document, ...ended } = await runFfprobe({ ...context, limits }, args);
  const sourceFailure = source.failure();
  if (sourceFailure) throw sourceFailure;
  if (ended.exitCode !== 0) throw unreadableFile(ended, source, context.limits.memoryBytes);
  const parsed = probeDocumentSchema.safeParse(document);
  if (!parsed.success) throw notMedia();
  const { format, streams } = parsed.data;
  const isMatroska = format.format_name.startsWith('matroska');
  return {
    document: { format, streams: isMatroska ? withEnabledFlags(streams, source.head) : streams },
    programs: programsOf(document),
    chapters: chapterCount(document),
    messages: ended.stderrTail,
    probeBytes: undefined,
  };
}

async function readPackets(context: Context, source: Source, chosen: Chosen): Promise<Read> {
  const { used, video, probeBytes } = chosen;
  const fields = await readFirstFrames(context, source, chosen);
  const headers = { document: used, video, frameTicks: fields.frameTicks, probeBytes };
  return { fields, index: await indexPackets(context, source, headers) };
}

/** Whether frames are interlaced, whether their fields may be separate packets, and whether they carry captions. */
async function readFirstFrames(
  context: Context,
  { url }: Source,
  { video, probeBytes }: Chosen,
): Promise<Read['fields']> {
  const readsFields = video !== undefined && mayHaveFields(video);
  if (!video || !(readsFields || mayHaveClosedCaptions(video))) return noFields;
  const packets = readsFields ? fieldPackets : captionPackets;
  const { document } = await runFfprobe(context, firstFramesArgs({ url, probeBytes }, video.index, packets));
  if (document === undefined) return noFields;
  return { ...(readsFields ? readFields(document) : noFields), closedCaptions: hasClosedCaptions(document) };
}

const noFields = { interlaced: false, frameTicks: null, closedCaptions: false };

/** About two seconds of an interlaced source. */
const fieldPackets = 100;
/** Captions are in every frame, also while nothing is said. */
const captionPackets = 12;
