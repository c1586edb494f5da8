import type { EditShift } from '../../shared/protocol/probe-result.ts';
import { findBox, readBoxes } from './boxes.ts';
import { applyEdits, type Edit, readEdits } from './edit-list.ts';
import { boxesByType, need, readSafe64 } from './full-box.ts';
import { createSampleList, type SampleList, type SampleRoom } from './sample-list.ts';
import { readSampleTable, type SampleTable } from './sample-table.ts';

/** A track of a movie with all its samples in decode order, with the times of FFmpeg's demuxer. */
export type MovieTrack = {
  trackId: number;
  kind: 'video' | 'audio' | 'other';
  timescale: number;
  samples: SampleList;
  /** added to every composition offset, because the decode times were shifted back by it */
  shiftTicks: number;
  /** of the presentation, after the edit list */
  durationTicks: number;
  /** no sample has a composition offset */
  isInOrder: boolean;
  /** false: the file lists no key samples, so every sample counts as one */
  hasKeyTable: boolean;
  edits: Edit[];
  /** corrections for video whose edits overlap or leave gaps in FFmpeg's timeline; otherwise empty */
  editShifts: EditShift[];
};

const kinds: Record<string, MovieTrack['kind']> = { vide: 'video', soun: 'audio' };

/** Reads a trak box. Throws RangeError for a track that FFmpeg's demuxer interprets differently. */
export function readTrack(trak: Buffer, movieTimescale: number, room: SampleRoom): MovieTrack {
  const boxes = boxesByType(trak, ['tkhd', 'mdia', 'edts']);
  const mdia = boxesByType(need(boxes, 'mdia'), ['mdhd', 'hdlr', 'minf']);
  const minf = boxesByType(need(mdia, 'minf'), ['stbl', 'dinf']);
  const stbl = boxesByType(need(minf, 'stbl'), [
    'stsd',
    'stts',
    'ctts',
    'stss',
    'stps',
    'stsc',
    'stsz',
    'stz2',
    'stco',
    'co64',
  ]);
  rejectRandomAccessGroups(need(minf, 'stbl'));
  rejectOtherFiles(need(minf, 'dinf'));
  const tkhd = need(boxes, 'tkhd');
  const { timescale, durationTicks } = readMediaHeader(need(mdia, 'mdhd'));
  const kind = kinds[need(mdia, 'hdlr').toString('latin1', 8, 12)] ?? 'other';
  const elst = boxes.has('edts') ? findBox(need(boxes, 'edts'), 'elst') : undefined;
  const edits = elst ? readEdits(elst, movieTimescale, timescale) : [];
  const table = kind === 'other' || isEmpty(stbl) ? emptyTable(room) : readSampleTable(stbl, kind === 'audio', room);
  const edited =
    edits.length > 0 && table.samples.length > 0
      ? applyEdits(table, edits, { isAudio: kind === 'audio', timescale })
      : { ...table, editShifts: [] };
  return {
    trackId: tkhd.readUInt32BE(tkhd[0] === 1 ? 20 : 12),
    kind,
    timescale,
    edits,
    samples: edited.samples,
    editShifts: edited.editShifts,
    shiftTicks: table.shiftTicks,
    durationTicks: Math.min(durationTicks, table.durationTicks, edited.durationTicks),
    isInOrder: !table.hasOffsets,
    hasKeyTable: stbl.has('stss'),
  };
}

const isEmpty = (stbl: Map<string, Buffer>): boolean => (stbl.get('stsz')?.readUInt32BE(8) ?? 0) === 0;

const emptyTable = (room: SampleRoom): SampleTable => ({
  samples: createSampleList(0, room),
  shiftTicks: 0,
  durationTicks: 0,
  hasOffsets: false,
});

function readMediaHeader(mdhd: Buffer): { timescale: number; durationTicks: number } {
  const [timescale, durationTicks] =
    mdhd[0] === 1 ? [mdhd.readUInt32BE(20), readSafe64(mdhd, 24)] : [mdhd.readUInt32BE(12), mdhd.readUInt32BE(16)];
  if (timescale === 0 || timescale >= 2 ** 31) throw new RangeError('an invalid timescale');
  return { timescale, durationTicks };
}

/** An alias refers to media in another file, which is never opened. */
function rejectOtherFiles(dinf: Buffer): void {
  const dref = findBox(dinf, 'dref');
  if (!dref || readBoxes(dref.subarray(8)).some(({ payload }) => (payload.readUInt32BE(0) & 1) === 0)) {
    throw new RangeError('media in another file');
  }
}

/** FFmpeg also treats the samples of a `rap ` group as key samples. */
function rejectRandomAccessGroups(stbl: Buffer): void {
  for (let at = stbl.indexOf('sbgp', 0, 'latin1'); at !== -1; at = stbl.indexOf('sbgp', at + 4, 'latin1')) {
    if (stbl.toString('latin1', at + 8, at + 12) === 'rap ') throw new RangeError('a random access group');
  }
}
