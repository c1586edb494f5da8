import { findBox, needBox, readBoxes } from './boxes.ts';
import { readMovieBox } from './read-movie-box.ts';

/** What the index of a progressive MP4 says of its tracks. */
export type Movie = { durationSeconds: number; tracks: { handler: string; samples: number }[] };

/** Reads the moov box of a file wherever it stands. */
export async function readMovie(path: string): Promise<Movie> {
  const moov = await readMovieBox(path);
  const mvhd = needBox(moov, 'mvhd');
  const [timescale, duration] =
    mvhd[0] === 1
      ? [mvhd.readUInt32BE(20), Number(mvhd.readBigUInt64BE(24))]
      : [mvhd.readUInt32BE(12), mvhd.readUInt32BE(16)];
  const tracks = readBoxes(moov)
    .filter((box) => box.type === 'trak')
    .map(({ payload }) => ({
      handler: needBox(payload, 'mdia', 'hdlr').toString('latin1', 8, 12),
      samples: findBox(payload, 'mdia', 'minf', 'stbl', 'stsz')?.readUInt32BE(8) ?? 0,
    }));
  return { durationSeconds: duration / timescale, tracks };
}
