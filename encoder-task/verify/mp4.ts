import type { ISOFile } from 'mp4box';
import { endOf, movieBox, parseBoxes, type TrackBox } from './parse-boxes.ts';
import { readBytes } from './read-bytes.ts';
import { fileName, type Report } from './rendition.ts';
import { readSampleEntry } from './sample-entry.ts';

type Wrong = (what: string) => void;

/**
 * Checks a progressive MP4: the file extension fits the tracks, the index comes before the media, the tracks are
 * complete and start together, and every sample is inside the file.
 */
export async function checkMp4(url: URL, report: Report): Promise<void> {
  const wrong: Wrong = (what) => report(fileName(url), what);
  try {
    const file = parseBoxes(await readBytes(url));
    const moov = movieBox(file);
    const types = file.boxes.map(({ type }) => type);
    if (types[0] !== 'ftyp') wrong('has no ftyp box at its start');
    if (types.indexOf('moov') > types.indexOf('mdat')) wrong('has its index after the media');
    checkExtension(url, moov.traks, wrong);
    const starts = moov.traks.map((trak, index) => checkTrack(trak, file, (what) => wrong(`track ${index} ${what}`)));
    if (Math.min(...starts) > 0.001) wrong(`has no media before ${Math.min(...starts)} s`);
  } catch (error) {
    wrong(`cannot be read: ${(error as Error).message}`);
  }
}

function checkExtension(url: URL, traks: TrackBox[], wrong: Wrong): void {
  const hasVideo = traks.some((trak) => readSampleEntry(trak).kind === 'video');
  const isNamedAudio = url.pathname.endsWith('.m4a');
  if (hasVideo && isNamedAudio) wrong('has the extension of an audio file, but a video track');
  if (!hasVideo && !isNamedAudio) wrong('has no video track, so its extension should be .m4a');
}

/** Checks a track. Returns the time in seconds at which it starts. */
function checkTrack(trak: TrackBox, file: ISOFile, wrong: Wrong): number {
  const { mdhd, minf } = trak.mdia;
  const isVideo = readSampleEntry(trak).kind === 'video';
  const samples = file.getTrackSamplesInfo(trak.tkhd.track_id);
  const last = samples.at(-1);
  if (!last) throw new RangeError('a track without samples');
  const timed = sum(minf.stbl.stts.sample_counts);
  if (timed !== samples.length) wrong(`has ${timed} durations for ${samples.length} samples`);
  checkOffsets(trak, file, wrong);
  if (isVideo && !samples[0]!.is_sync) wrong('does not start with a key frame');

  const movieTimescale = file.moov.mvhd.timescale;
  const { mediaTicks, emptySeconds, playedSeconds } = readEdits(trak, movieTimescale);
  const shown = samples.map(({ cts }) => cts);
  const first = Math.min(...shown);
  if (isVideo && mediaTicks !== first) {
    wrong(`is shown from tick ${mediaTicks} on, its first frame is at tick ${first}`);
  }
  const seconds = playedSeconds ?? (last.dts + last.duration - mediaTicks) / mdhd.timescale;
  const framesSeconds = (Math.max(...shown) + last.duration - mediaTicks) / mdhd.timescale;
  if (isVideo && Math.abs(seconds - framesSeconds) > 2 / movieTimescale + 1e-3) {
    wrong(`is shown for ${seconds} s, its frames last ${framesSeconds} s`);
  }
  return emptySeconds;
}

/** Every chunk has samples inside the mdat box, and every sample is in a chunk. */
function checkOffsets(trak: TrackBox, file: ISOFile, wrong: Wrong): void {
  const { stsc, stco, co64 } = trak.mdia.minf.stbl;
  const chunks = (stco ?? co64).chunk_offsets.length;
  const samples = file.getTrackSamplesInfo(trak.tkhd.track_id);
  const media = file.boxes.find(({ type }) => type === 'mdat');
  if (!media) throw new RangeError('no mdat box');
  const start = (media.start ?? 0) + (media.hdr_size ?? 0);
  const outside = samples.find(({ offset, size }) => !(offset >= start && offset + size <= endOf(media)));
  if (outside) wrong(`has samples outside of the media, at byte ${outside.offset}`);
  const count = sum(
    stsc.first_chunk.map(
      (first, n) => ((stsc.first_chunk[n + 1] ?? chunks + 1) - first) * (stsc.samples_per_chunk[n] ?? 0),
    ),
  );
  if (count !== samples.length) wrong(`has places for ${count} of ${samples.length} samples`);
}

/** The service writes at most one empty edit, for a delay, and one edit of media. */
function readEdits({ edts }: TrackBox, movieTimescale: number) {
  const edits = edts?.elst?.entries ?? [];
  const played = edits.findLast(({ media_time }) => media_time !== -1);
  return {
    mediaTicks: played?.media_time ?? 0,
    playedSeconds: played && played.segment_duration / movieTimescale,
    emptySeconds:
      sum(edits.filter(({ media_time }) => media_time === -1).map((edit) => edit.segment_duration)) / movieTimescale,
  };
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
