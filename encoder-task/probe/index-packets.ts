import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import type { ClockSection, EditShift } from '../../shared/protocol/probe-result.ts';
import { firstFramesArgs, listPacketsArgs, type Packet, readPacketLine } from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import type { Movie } from '../isobmff/movie.ts';
import { type ProcessContext, run } from '../runtime/run-process.ts';
import type { Source } from '../source/open-source.ts';
import { createClockFollower, jumpingClockHz } from './clock-sections.ts';
import { frameTimes } from './field-pairs.ts';
import { moviePackets } from './movie-packets.ts';
import { createPacketIndex, type PacketIndex } from './packet-index.ts';

/**
 * Streams of the source whose packets are wanted: the video, if there is one, and the audio. `frameTicks` is how long a frame lasts at least where its
 * fields may be packets of their own.
 */
export type Wanted = { document: ProbeDocument; video: ProbeStream | undefined; frameTicks: number | null };

/**
 * `damagedPackets` are those that the container itself marks as broken. `promisedFrames` is how many packets of the video track the container lists ahead
 * of them, null where it lists none. All times are after `clockSections`.
 */
export type Indexed = PacketIndex & {
  damagedPackets: number;
  promisedFrames: number | null;
  clockSections: ClockSection[];
  /** the demuxer gave up where another recording begins */
  endsAtJoint: boolean;
  editShifts: EditShift[];
};

type Context = ProcessContext & { reportProgress: (fraction: number) => void };

/**
 * Every packet of the source: from the index of an MP4 where that can be taken at its word, else by reading the file through once. Throws JobError as
 * the store and `run` do.
 */
export async function indexPackets(context: Context, source: Source, wanted: Wanted): Promise<Indexed> {
  const movie = source.movie();
  if (movie && isMovieOf(movie, wanted)) return indexMovie(context, source, movie, wanted);
  return indexByReading(context, source, wanted);
}

/** Coded without reference to other frames, so that all are key frames. */
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
/** Of others a demuxer's parser may find packets or key frames that the index does not have. */
const indexedCodecs = new Set(['h264', 'hevc', 'av1', 'vp9', 'mpeg4', 'mpeg2video', 'h263', ...intraCodecs]);

function isMovieOf({ tracks, file }: Movie, { document, video }: Wanted): boolean {
  const isSame = tracks.every(({ kind, timescale }, index) => {
    const stream = document.streams[index];
    if (stream?.index !== index) return false;
    return kind === 'other' || (stream.codec_type === kind && stream.time_base === `1/${timescale}`);
  });
  if (!isSame) return false;
  const track = video && tracks[video.index];
  if (video && (!track || !indexedCodecs.has(video.codec_name ?? ''))) return false;
  return !track || track.hasKeyTable || intraCodecs.has(video.codec_name ?? '') || file.fragments.length > 0;
}

async function indexMovie(context: Context, source: Source, movie: Movie, wanted: Wanted): Promise<Indexed> {
  const { tracks, file } = movie;
  const { video } = wanted;
  const editShifts = video ? tracks[video.index]!.editShifts : [];
  let index = addMovie(movie, wanted, editShifts);
  const firstPts = await firstDecodedPts(context, source, video, index.startsAtKey());
  let found = index.finish(firstPts);
  // the shifts count frames: where packets are fields, or lacking, they would be of other frames
  const isCounted = found.video.frames.pts.length === editShifts.reduce((sum, { frames }) => sum + frames, 0);
  if (editShifts.length > 0 && !isCounted) {
    index = addMovie(movie, wanted, []);
    found = index.finish(firstPts);
  }
  // Counted after edit lists: the tables may have many more samples than are ever played. Fragments are listed one by one as a recording goes on, so that
  // one that was interrupted lacks nothing but its end.
  const promisedFrames = video && file.fragments.length === 0 ? tracks[video.index]!.samples.length : null;
  return {
    ...found,
    ...{ damagedPackets: 0, promisedFrames, clockSections: [], endsAtJoint: false },
    editShifts: isCounted ? editShifts : [],
  };
}

function addMovie({ tracks, file }: Movie, { document, video, frameTicks }: Wanted, editShifts: EditShift[]) {
  const index = createPacketIndex(video?.index, frameTicks);
  for (const [streamIndex, track] of tracks.entries()) {
    const isVideo = streamIndex === video?.index;
    if (!isVideo && document.streams[streamIndex]?.codec_type !== 'audio') continue;
    const place = placeEdits(isVideo ? editShifts : []);
    for (const packet of moviePackets(track, streamIndex, file.totalBytes)) index.add(place(packet));
  }
  return index;
}

/** Packets that are shown come edit by edit. */
function placeEdits(editShifts: EditShift[]): (packet: Packet) => Packet {
  let [edit, shown] = [0, 0];
  return (packet) => {
    const shift = editShifts[edit];
    if (!shift || !packet.isShown) return packet;
    shown += 1;
    if (shown === shift.frames) [edit, shown] = [edit + 1, 0];
    return { ...packet, pts: packet.pts + shift.shiftTicks };
  };
}

async function indexByReading(context: Context, source: Source, wanted: Wanted): Promise<Indexed> {
  const { video, frameTicks } = wanted;
  const index = createPacketIndex(video?.index, frameTicks);
  const clockHz = jumpingClockHz(wanted.document);
  const clock = clockHz === undefined ? undefined : createClockFollower(clockHz);
  const isFollowed = usedStreams(wanted);
  const timed = isTimedByDecoding(wanted) ? timeByDecoding(video?.index) : (packet: Packet) => packet;
  let [bytes, damagedPackets] = [0, 0];
  const { stderrTail } = await run({
    ...{ ...context, program: 'ffprobe', args: listPacketsArgs(source.url) },
    onLine: (line) => {
      const packet = readPacketLine(line);
      if (!packet) return;
      if (isFollowed(packet)) index.add(timed(clock?.follow(packet) ?? packet));
      bytes += packet.bytes;
      if (packet.isDamaged) damagedPackets += 1;
      context.reportProgress(0.1 + (0.9 * bytes) / source.totalBytes);
    },
  });
  // a bad end is no error of its own: what was listed before a file breaks off is what can be shown
  const sourceFailure = source.failure();
  if (sourceFailure) throw sourceFailure;
  // without its message, a movie that has fewer packets than samples leaves them out by an edit list
  const promisedFrames = endsEarly.test(stderrTail) ? Number(video?.nb_frames ?? 0) : null;
  const firstPts = await firstDecodedPts(context, source, video, index.startsAtKey());
  return {
    ...index.finish(firstPts),
    ...{ damagedPackets, promisedFrames, clockSections: clock?.sections() ?? [] },
    endsAtJoint: givesUpAtJoint.test(stderrTail),
    editShifts: [],
  };
}

/** Within ten seconds of most sources a decoder has found where to begin, or there is a key frame. */
const packetsUntilDecoded = 600;

/**
 * When the first frame is shown that a decoder makes of a track that does not start at a key frame. Some streams mark none, in others the first one was cut
 * off: a decoder of H.264 then begins at a frame that refers to no other. Undefined where the track starts at a key frame, or nothing is decoded.
 */
async function firstDecodedPts(
  context: Context,
  source: Source,
  video: ProbeStream | undefined,
  startsAtKey: boolean,
): Promise<number | undefined> {
  if (!video || startsAtKey) return undefined;
  const { document } = await runFfprobe(context, firstFramesArgs(source.url, video.index, packetsUntilDecoded));
  return document === undefined ? undefined : frameTimes(document)[0];
}

/** Streams of which nothing is made say nothing of the clock: data and subtitles come when they please. */
function usedStreams({ document, video }: Wanted): (packet: Packet) => boolean {
  const used = new Set([
    video?.index,
    ...document.streams.flatMap(({ codec_type, index }) => (codec_type === 'audio' ? [index] : [])),
  ]);
  return ({ streamIndex }) => used.has(streamIndex);
}

/** What the demuxer of MP4 and MOV says when a sample lies beyond the end of the file. */
const endsEarly = /: partial file$/m;

/** What the demuxer of Ogg says when another recording begins that has more than one track, before it ends. */
const givesUpAtJoint = /failed to create or replace stream/;

/** Program streams give the time of being shown for some frames only, B-frames or the first of a pack. */
const isTimedByDecoding = ({ document, video }: Wanted): boolean =>
  document.format.format_name === 'mpeg' && /^mpeg[12]video$/.test(video?.codec_name ?? '');

/** Frames change places between decoding and being shown, but all in all they are shown as evenly as they are decoded, a delay later. */
function timeByDecoding(videoStream: number | undefined): (packet: Packet) => Packet {
  let delayTicks: number | undefined;
  return (packet) => {
    if (packet.streamIndex !== videoStream) return packet;
    if (packet.isKey) delayTicks ??= packet.pts - packet.dts;
    return { ...packet, pts: packet.dts + (delayTicks ?? 0) };
  };
}
