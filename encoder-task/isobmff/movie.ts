import { readBoxes } from './boxes.ts';
import { fragmentsBox, readFragments } from './fragments.ts';
import type { MovieFile } from './movie-file.ts';
import { type SampleRoom, sampleRoom } from './sample-list.ts';
import { type MovieTrack, readTrack } from './track.ts';

/** An MP4, MOV, M4V or 3GP by its index alone. `tracks[n]` is what FFmpeg calls stream n. */
export type Movie = { file: MovieFile; tracks: MovieTrack[] };

/**
 * Reads where every sample lies and when it is shown from the index, without media. Undefined for whatever is not certain to be taken just as FFmpeg's
 * demuxer takes it: such a file has to be read through.
 */
export function movieOf(file: MovieFile): Movie | undefined {
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
  if (mvhd?.type !== 'mvhd') throw new RangeError('no header in front');
  const timescale = mvhd.payload.readUInt32BE(mvhd.payload[0] === 1 ? 20 : 12);
  if (timescale === 0) throw new RangeError('no clock');
  const traks = boxes.filter(({ type }) => type === 'trak');
  if (traks.length > maxTracks) throw new RangeError('too many tracks');
  // a cover in front of a track would be a stream of its own
  const lastTrak = boxes.findLastIndex(({ type }) => type === 'trak');
  const inFront = boxes.slice(0, lastTrak);
  if (inFront.some(({ type, payload }) => type === 'cmov' || (isTags(type) && payload.includes('covr')))) {
    throw new RangeError('a cover in front of a track');
  }
  return traks.map(({ payload }) => readTrack(payload, timescale, room));
}

const isTags = (type: string): boolean => type === 'udta' || type === 'meta';
