import type { FrameGrid } from '../../shared/protocol/encode-spec.ts';
import { box, fullBox, initFileType, uint16, uint32 } from '../isobmff/write-box.ts';
import type { AvcTrack } from './avc-track.ts';

/**
 * The init segment of a copied H.264 track on the clock of its grid. An edit list removes the delay by which decoding
 * is ahead of presentation, as in the tracks that ffmpeg writes.
 */
export function copiedInit(track: AvcTrack, grid: FrameGrid, delayFrames: number): Buffer {
  const { width, height } = track.sequence;
  const tkhd = fullBox(
    'tkhd',
    flags.enabled | flags.inMovie,
    uint32(0, 0, trackId, 0, 0, 0, 0, 0, 0),
    matrix,
    uint32(width * 0x10000, height * 0x10000),
  );
  const trak = box('trak', tkhd, ...delayEdit(delayFrames * grid.ticksPerFrame), media(track, grid.timescale));
  const mvhd = fullBox(
    'mvhd',
    0,
    uint32(0, 0, 1000, 0, 0x10000, 0x0100_0000, 0, 0),
    matrix,
    uint32(...six, trackId + 1),
  );
  const mvex = box('mvex', fullBox('trex', 0, uint32(trackId, 1, 0, 0, 0)));
  return Buffer.concat([initFileType, box('moov', mvhd, trak, mvex)]);
}

export const trackId = 1;

const flags = { enabled: 1, inMovie: 2, selfContained: 1 };
const six = [0, 0, 0, 0, 0, 0];
const matrix = uint32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000);
const undetermined = 0x55c4;

/** An edit without duration lasts until the end of a fragmented track. */
const delayEdit = (ticks: number): Buffer[] =>
  ticks === 0 ? [] : [box('edts', fullBox('elst', 0, uint32(1, 0, ticks, 0x10000)))];

function media(track: AvcTrack, timescale: number): Buffer {
  const table = ['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, uint32(0)));
  const stbl = box(
    'stbl',
    fullBox('stsd', 0, uint32(1), sampleEntry(track)),
    ...table,
    fullBox('stsz', 0, uint32(0, 0)),
  );
  const dinf = box('dinf', fullBox('dref', 0, uint32(1), fullBox('url ', flags.selfContained)));
  const minf = box('minf', fullBox('vmhd', 1, uint32(0, 0)), dinf, stbl);
  const handler = Buffer.from('vide\0\0\0\0\0\0\0\0\0\0\0\0VideoHandler\0', 'latin1');
  const mdhd = fullBox('mdhd', 0, uint32(0, 0, timescale, 0), uint16(undetermined), uint16(0));
  return box('mdia', mdhd, fullBox('hdlr', 0, uint32(0), handler), minf);
}

function sampleEntry({ avcC, colr, sequence: { width, height } }: AvcTrack): Buffer {
  return box(
    'avc1',
    uint32(0),
    uint16(0),
    uint16(1),
    uint32(0, 0, 0, 0),
    uint16(width),
    uint16(height),
    uint32(0x48_0000, 0x48_0000, 0),
    uint16(1),
    Buffer.alloc(32),
    uint16(0x18),
    uint16(0xffff),
    box('avcC', avcC),
    ...(colr ? [box('colr', colr)] : []),
    box('pasp', uint32(1, 1)),
  );
}
