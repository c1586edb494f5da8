import { readBoxes } from './boxes.ts';
import { boxesByType, need, readSafe64 } from './full-box.ts';
import type { FileBytes } from './movie-file.ts';
import { pushSample } from './sample-list.ts';
import type { MovieTrack } from './track.ts';

type Defaults = { durationTicks: number; bytes: number; flags: number; description: number };
type Growing = { track: MovieTrack; defaults: Defaults; offsetTicks: number; nextTicks: number; isShiftKnown: boolean };

/**
 * Appends the samples of movie fragments (ISO/IEC 14496-12, 8.8) to their tracks, which a fragmented file's moov leaves empty. Throws RangeError
 * for what FFmpeg's demuxer reads in ways of its own.
 */
export function readFragments(tracks: MovieTrack[], mvex: Buffer, fragments: FileBytes[]): void {
  const growing = new Map<number, Growing>();
  for (const { type, payload } of readBoxes(mvex)) {
    if (type !== 'trex') continue;
    const track = tracks.find(({ trackId }) => trackId === payload.readUInt32BE(4));
    if (!track) continue;
    if (track.samples.length > 0) throw new RangeError('samples in moov and in fragments');
    growing.set(track.trackId, {
      track,
      defaults: {
        description: payload.readUInt32BE(8),
        durationTicks: payload.readUInt32BE(12),
        bytes: payload.readUInt32BE(16),
        flags: payload.readUInt32BE(20),
      },
      offsetTicks: startOffset(track),
      nextTicks: 0,
      isShiftKnown: false,
    });
  }
  for (const fragment of fragments) readFragment(growing, fragment);
  for (const { track, nextTicks } of growing.values()) {
    track.durationTicks = nextTicks;
    track.isInOrder = false;
    track.hasKeyTable = true;
  }
}

/** Only a pause and one edit can be told ahead of samples that are not there yet. */
function startOffset({ edits }: MovieTrack): number {
  const [first, second, ...more] = edits;
  if (!first) return 0;
  const [pause, edit] = first.mediaTicks === -1 ? [first.durationTicks, second] : [0, first];
  if (more.length > 0 || (pause === 0 && second)) throw new RangeError('several edits of fragments');
  return (edit?.mediaTicks ?? 0) - pause;
}

function readFragment(growing: Map<number, Growing>, { start, bytes }: FileBytes): void {
  const payload = bytes.subarray(bytes.readUInt32BE(0) === 1 ? 16 : 8);
  let implicitPosition = start;
  for (const { type, payload: traf } of readBoxes(payload)) {
    if (type !== 'traf') continue;
    const tfhd = need(boxesByType(traf, ['tfhd', 'tfdt']), 'tfhd');
    const target = growing.get(tfhd.readUInt32BE(4));
    if (!target) throw new RangeError('a fragment of no track');
    implicitPosition = readTrackFragment(target, traf, { moofPosition: start, implicitPosition });
  }
}

type Place = { moofPosition: number; implicitPosition: number };

function readTrackFragment(target: Growing, traf: Buffer, place: Place): number {
  const boxes = boxesByType(traf, ['tfhd', 'tfdt']);
  const { defaults, basePosition } = readHeader(need(boxes, 'tfhd'), target.defaults, place);
  const tfdt = boxes.get('tfdt');
  if (tfdt) target.nextTicks = tfdt[0] === 1 ? readSafe64(tfdt, 4) : tfdt.readUInt32BE(4);
  let position = basePosition;
  for (const { type, payload } of readBoxes(traf)) {
    if (type === 'trun') position = readRun(target, payload, defaults, { basePosition, position });
  }
  target.isShiftKnown = true;
  return position;
}

function readHeader(tfhd: Buffer, trex: Defaults, place: Place): { defaults: Defaults; basePosition: number } {
  const flags = tfhd.readUInt32BE(0) & 0xffffff;
  let at = 8;
  let basePosition = flags & 0x020000 ? place.moofPosition : place.implicitPosition;
  if (flags & 0x01) {
    basePosition = readSafe64(tfhd, at);
    at += 8;
  }
  const field = (bit: number, fallback: number): number => {
    if (!(flags & bit)) return fallback;
    at += 4;
    return tfhd.readUInt32BE(at - 4);
  };
  const description = field(0x02, trex.description);
  if (description > 1) throw new RangeError('fragments of several descriptions');
  const defaults = {
    description,
    durationTicks: field(0x08, trex.durationTicks),
    bytes: field(0x10, trex.bytes),
    flags: field(0x20, trex.flags),
  };
  return { defaults, basePosition };
}

function readRun(
  target: Growing,
  trun: Buffer,
  defaults: Defaults,
  from: { basePosition: number; position: number },
): number {
  const { track } = target;
  const flags = trun.readUInt32BE(0) & 0xffffff;
  const perSample = [0x100, 0x200, 0x400, 0x800].filter((bit) => flags & bit).length * 4;
  const extra = (flags & 0x01 ? 4 : 0) + (flags & 0x04 ? 4 : 0);
  const count = trun.readUInt32BE(4);
  if (8 + extra + count * perSample > trun.length) throw new RangeError('a run claims more than it holds');
  let at = 8;
  const field = (bit: number, fallback: number, signed = false): number => {
    if (!(flags & bit)) return fallback;
    at += 4;
    return signed ? trun.readInt32BE(at - 4) : trun.readUInt32BE(at - 4);
  };
  let position = flags & 0x01 ? from.basePosition + field(0x01, 0, true) : from.position;
  const firstFlags = field(0x04, defaults.flags);
  const list = track.samples;
  // fragments that overlap in time: what was there before is shown
  const before = list.length > 0 ? list.decodeTicks[list.length - 1]! : Number.NEGATIVE_INFINITY;
  for (let n = 0; n < count; n++) {
    const durationTicks = field(0x100, defaults.durationTicks);
    const bytes = field(0x200, defaults.bytes);
    const sampleFlags = field(0x400, n === 0 ? firstFlags : defaults.flags);
    const offset = field(0x800, 0, true);
    if (bytes === 0) throw new RangeError('an empty sample');
    if (offset < -track.shiftTicks) {
      // the demuxer has handed out samples with the old shift already
      if (target.isShiftKnown) throw new RangeError('composition offsets that fall later on');
      track.shiftTicks = -offset;
    }
    const decodeTicks = target.nextTicks - target.offsetTicks;
    pushSample(list, {
      ...{ position, bytes, decodeTicks },
      compositionOffset: offset,
      // sample_is_non_sync_sample, sample_depends_on = 1
      isKey: track.kind === 'audio' || (sampleFlags & 0x01010000) === 0,
      isHidden: before >= decodeTicks,
    });
    target.nextTicks += durationTicks;
    position += bytes;
  }
  return position;
}

export const fragmentsBox = (moov: Buffer): Buffer | undefined =>
  readBoxes(moov).find(({ type }) => type === 'mvex')?.payload;
