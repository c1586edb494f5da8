import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import type { ClockSection, EditShift } from '../../shared/protocol/probe-result.ts';
import {
  firstFramesArgs,
  listPacketsArgs,
  type Packet,
  type ProbeInput,
  readPacketLine,
  type UntimedPacket,
} from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import type { Movie } from '../isobmff/movie.ts';
import { type ProcessContext, run } from '../runtime/run-process.ts';
import type { Source } from '../source/open-source.ts';
import { createClockFollower, jumpingClockHz } from './clock-sections.ts';
import { addUntimedFrames, timePackets, type UntimedPackets } from './decoded-times.ts';
import { frameTimes } from './field-pairs.ts';
import { moviePackets } from './movie-packets.ts';
import { createPacketIndex, type PacketIndex } from './packet-index.ts';
import { createSurvey, type Survey, surveyMovie } from './tracks/packet-survey.ts';

/**
 * The headers of a source with the streams that are used, and its video stream. `frameTicks` is the shortest frame
 * duration when fields may be separate packets, otherwise null. `probeBytes`: see `ProbeResult`.
 */
export type Headers = {
  document: ProbeDocument;
  video: ProbeStream | undefined;
  frameTicks: number | null;
  probeBytes: number | undefined;
};

/** The packet index with what was found while reading it. The shifts of `clockSections` are applied to all times. */
export type Indexed = PacketIndex & {
  /** packets that the container marks as incomplete */
  damagedPackets: number;
  /** number of video packets that the index of the container declares; null without an index */
  declaredFrames: number | null;
  clockSections: ClockSection[];
  /** the demuxer stopped at the start of another recording */
  endsAtNextRecording: boolean;
  editShifts: EditShift[];
  /** of all streams, also of those that are not used */
  survey: Survey;
  /** the index of the file, if the packets are from it */
  movie?: Movie;
};

type Context = ProcessContext & { reportProgress: (fraction: number) => void };

/**
 * Indexes every packet of the source: from the index of an MP4 if that is reliable, otherwise by reading the whole
 * file. Throws the JobErrors of the store and of `run`.
 */
export async function indexPackets(context: Context, source: Source, headers: Headers): Promise<Indexed> {
  const movie = source.movie();
  if (movie && matchesDocument(movie, headers)) return indexMovie(context, source, movie, headers);
  return indexByReading(context, source, headers);
}

/** Codecs without references to other frames, so that all frames are key frames. */
const intraCodecs = new Set([
  'prores',
  'mjpeg',
  'dnxhd',
  'dvvideo',
  'png',
  'rawvideo',
  'qtrle',
  'cfhd',
  'jpeg2000',
  'v210',
]);
/** For other codecs, FFmpeg's parser may find packets or key frames that are not in the index. */
const indexedCodecs = new Set(['h264', 'hevc', 'av1', 'vp9', 'mpeg4', 'mpeg2video', 'h263', ...intraCodecs]);

function matchesDocument({ tracks, file }: Movie, { document, video }: Headers): boolean {
  const isSame = tracks.every(({ kind, timescale }, index) => {
    const stream = document.streams[index];
    if (stream?.index !== index) return false;
    // FFmpeg knows more kinds of video and audio, such as sequences of pictures
    if (kind === 'other') return stream !== video && stream.codec_type !== 'audio';
    return stream.codec_type === kind && stream.time_base === `1/${timescale}`;
  });
  if (!isSame) return false;
  const track = video && tracks[video.index];
  if (video && (!track || !indexedCodecs.has(video.codec_name ?? ''))) return false;
  return !track || track.hasKeyTable || intraCodecs.has(video.codec_name ?? '') || file.fragments.length > 0;
}

async function indexMovie(context: Context, source: Source, movie: Movie, headers: Headers): Promise<Indexed> {
  const { tracks, file } = movie;
  const { video } = headers;
  const editShifts = video ? tracks[video.index]!.editShifts : [];
  let index = addMovie(movie, headers, editShifts);
  const firstPts = await firstDecodedPts(context, source, headers, index.startsAtKey());
  let found = index.finish(firstPts);
  // the shifts count frames, so they do not apply when packets are fields or missing
  const isCounted = found.video.frames.pts.length === editShifts.reduce((sum, { frames }) => sum + frames, 0);
  if (editShifts.length > 0 && !isCounted) {
    index = addMovie(movie, headers, []);
    found = index.finish(firstPts);
  }
  // Counted after edit lists, because the tables may have many more samples than are presented. Fragments are written
  // during a recording, so an interrupted recording is not missing any frames of its index.
  const declaredFrames = video && file.fragments.length === 0 ? tracks[video.index]!.samples.length : null;
  return {
    ...found,
    damagedPackets: 0,
    declaredFrames,
    clockSections: [],
    endsAtNextRecording: false,
    editShifts: isCounted ? editShifts : [],
    survey: surveyMovie(movie),
    movie,
  };
}

function addMovie({ tracks, file }: Movie, { document, video, frameTicks }: Headers, editShifts: EditShift[]) {
  const index = createPacketIndex(video?.index, frameTicks);
  for (const [streamIndex, track] of tracks.entries()) {
    const isVideo = streamIndex === video?.index;
    if (!isVideo && document.streams[streamIndex]?.codec_type !== 'audio') continue;
    const shiftPacket = shiftEdits(isVideo ? editShifts : []);
    for (const packet of moviePackets(track, streamIndex, file.totalBytes)) index.add(shiftPacket(packet));
  }
  return index;
}

/** Applies the shift of each edit. Presented packets are in the order of the edits. */
function shiftEdits(editShifts: EditShift[]): (packet: Packet) => Packet {
  let [edit, shown] = [0, 0];
  return (packet) => {
    const shift = editShifts[edit];
    if (!shift || !packet.isPresented) return packet;
    shown += 1;
    if (shown === shift.frames) [edit, shown] = [edit + 1, 0];
    return { ...packet, pts: packet.pts + shift.shiftTicks };
  };
}

async function indexByReading(context: Context, source: Source, headers: Headers): Promise<Indexed> {
  const { video, frameTicks } = headers;
  const index = createPacketIndex(video?.index, frameTicks);
  const clockHz = jumpingClockHz(headers.document);
  const clock = clockHz === undefined ? undefined : createClockFollower(clockHz);
  const isFollowed = usedStreams(headers);
  const timed = timePackets(headers.document.format.format_name, video, index.add);
  const untimed = { leading: 0, inner: 0, trailing: 0 };
  const survey = createSurvey();
  let [bytes, damagedPackets] = [0, 0];
  const input = { url: source.url, probeBytes: headers.probeBytes };
  const { stderrTail } = await run({
    ...context,
    program: 'ffprobe',
    args: listPacketsArgs(input),
    onLine: (line) => {
      const packet = readPacketLine(line);
      if (!packet) return;
      bytes += packet.bytes;
      if (packet.isDamaged) damagedPackets += 1;
      context.reportProgress(0.1 + (0.9 * bytes) / source.totalBytes);
      if (packet.streamIndex === video?.index) countUntimed(untimed, packet, index.isEmpty());
      if (!('pts' in packet)) return;
      survey.add(packet);
      if (isFollowed(packet)) timed.add(clock?.follow(packet) ?? packet);
    },
  });
  // a failed run is not an error: the packets before the damage can be used
  const sourceFailure = source.failure();
  if (sourceFailure) throw sourceFailure;
  // without the demuxer's message, packets are missing because of an edit list
  const declaredFrames = endsEarly.test(stderrTail) ? Number(video?.nb_frames ?? 0) : null;
  timed.end();
  const firstPts = await firstDecodedPts(context, input, headers, index.startsAtKey());
  const found = index.finish(firstPts);
  const { frames } = found.video;
  const stepTicks = frameTicks ?? frames.lastDurationTicks;
  return {
    ...found,
    video: { ...found.video, frames: addUntimedFrames(frames, untimed, { frameTicks: stepTicks, firstPts }) },
    damagedPackets,
    declaredFrames,
    clockSections: clock?.sections() ?? [],
    endsAtNextRecording: nextRecording.test(stderrTail),
    editShifts: [],
    survey: survey.streams,
  };
}

function countUntimed(untimed: UntimedPackets, packet: Packet | UntimedPacket, isFirst: boolean): void {
  if ('pts' in packet) {
    untimed.inner += untimed.trailing;
    untimed.trailing = 0;
  } else if (isFirst) untimed.leading += 1;
  else untimed.trailing += 1;
}

/** About ten seconds, in which most decoders find a frame to start with. */
const packetsUntilDecoded = 600;

/**
 * Presentation time of the first decoded frame of a track that does not start with a key frame, because the stream
 * marks no key frames or was cut. A decoder of H.264 then starts at a frame without references. Undefined when the
 * track starts with a key frame, or no frame is decoded.
 */
async function firstDecodedPts(
  context: Context,
  input: ProbeInput,
  { video }: Headers,
  startsAtKey: boolean,
): Promise<number | undefined> {
  if (!video || startsAtKey) return undefined;
  const { document } = await runFfprobe(context, firstFramesArgs(input, video.index, packetsUntilDecoded));
  return document === undefined ? undefined : frameTimes(document)[0];
}

/** Other streams are ignored, because the times of data and subtitles do not show whether the clock is continuous. */
function usedStreams({ document, video }: Headers): (packet: Packet) => boolean {
  const used = new Set([
    video?.index,
    ...document.streams.flatMap(({ codec_type, index }) => (codec_type === 'audio' ? [index] : [])),
  ]);
  return ({ streamIndex }) => used.has(streamIndex);
}

/** Message of the MP4 demuxer about a sample beyond the end of the file. */
const endsEarly = /: partial file$/m;

/** Message of the Ogg demuxer when it stops at another recording with several tracks. */
const nextRecording = /failed to create or replace stream/;
