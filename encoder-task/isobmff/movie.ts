import { readBoxes } from './boxes.ts';
import { fragmentsBox, readFragments } from './fragments.ts';
import type { MovieFile } from './movie-file.ts';
import { type SampleRoom, sampleRoom } from './sample-list.ts';
import { type MovieTrack, readTrack } from './track.ts';

/** An MP4, MOV, M4V or 3GP file by its index. `tracks[n]` is FFmpeg's stream n. */
export type Movie = { file: MovieFile; tracks: MovieTrack[] };

/**
 * Reads position and time of every sample from the index, without the media. Undefined for a file that FFmpeg's demuxer
 * may interpret differently; such a file must be read as a whole.
 */
export function parseMovie(file: MovieFile): Movie | undefined {
  try {
    const tracks = readTracks(file.moov, sampleRoom(file.totalBytes));
    const mvex = fragmentsBox(file.moov);
    if (mvex) readFragments(tracks, mvex, file.fragments);
    else if (file.fragments.length > 0) return undefined;
    return { file, tracks };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const maxTracks = 200;

function readTracks(moov: Buffer, room: SampleRoom): MovieTrack[] {
  const boxes = readBoxes(moov);
  const mvhd = boxes[0];
  if (mvhd?.type !== 'mvhd') throw new RangeError('no mvhd box at the start');
  const timescale = mvhd.payload.readUInt32BE(mvhd.payload[0] === 1 ? 20 : 12);
  if (timescale === 0) throw new RangeError('an invalid timescale');
  const traks = boxes.filter(({ type }) => type === 'trak');
  if (traks.length > maxTracks) throw new RangeError('too many tracks');
  // FFmpeg makes a stream of a cover image, which changes the numbers of the tracks after it
  const lastTrak = boxes.findLastIndex(({ type }) => type === 'trak');
  const earlier = boxes.slice(0, lastTrak);
  if (earlier.some(({ type, payload }) => type === 'cmov' || (isTags(type) && payload.includes('covr')))) {
    throw new RangeError('a cover image before a track');
  }
  return traks.map(({ payload }) => readTrack(payload, timescale, room));
}

const isTags = (type: string): boolean => type === 'udta' || type === 'meta';
