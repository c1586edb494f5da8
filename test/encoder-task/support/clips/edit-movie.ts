import { readBoxes } from '../../../../encoder-task/isobmff/boxes.ts';
import { box } from './mp4.ts';

/** One edit of a movie; an empty edit when `fromSeconds` is null. */
export type MovieEdit = { fromSeconds: number | null; seconds: number; rate?: number };

/** Replaces the edit lists of all tracks of an MP4 from ffmpeg whose moov box is the last one. */
export function editMovie(movie: Buffer, edits: MovieEdit[]): Buffer {
  const moov = readBoxes(movie).at(-1)!;
  const boxes = readBoxes(moov.payload);
  // 1000 by ffmpeg 5 and 7, that of the audio by ffmpeg 9
  const timescale = boxes.find(({ type }) => type === 'mvhd')!.payload.readUInt32BE(12);
  const movieTicks = (seconds: number): number => Math.round(seconds * timescale);
  const edited = boxes.map(({ type, payload }) => {
    if (type === 'mvhd') return box(type, withDuration(payload, movieTicks(totalSeconds(edits))));
    return box(type, type === 'trak' ? editTrack(payload, edits, movieTicks) : payload);
  });
  return Buffer.concat([movie.subarray(0, moov.payload.byteOffset - movie.byteOffset - 8), box('moov', ...edited)]);
}

const totalSeconds = (edits: MovieEdit[]): number => edits.reduce((sum, { seconds }) => sum + seconds, 0);

function withDuration(mvhd: Buffer, duration: number): Buffer {
  const changed = Buffer.from(mvhd);
  changed.writeUInt32BE(duration, 16);
  return changed;
}

function editTrack(trak: Buffer, edits: MovieEdit[], movieTicks: (seconds: number) => number): Buffer {
  const at = (name: string, offset: number): number => trak.readInt32BE(trak.indexOf(name, 0, 'latin1') + 4 + offset);
  const timescale = at('mdhd', 12);
  // media time of the original edit list, after reordering delay or priming
  const firstTicks = at('elst', 12);
  const entries = edits.flatMap(({ fromSeconds, seconds, rate = 1 }) => [
    movieTicks(seconds),
    fromSeconds === null ? -1 : firstTicks + Math.round(fromSeconds * timescale),
    rate * 0x10000,
  ]);
  const edts = box('edts', box('elst', 0, edits.length, ...entries));
  return Buffer.concat(readBoxes(trak).map(({ type, payload }) => (type === 'edts' ? edts : box(type, payload))));
}
