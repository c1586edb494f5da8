import { readBoxes } from './boxes.ts';
import { boxesByType, need } from './full-box.ts';
import type { FileBytes } from './movie-file.ts';
import { pushSample } from './sample-list.ts';
import type { MovieTrack } from './track.ts';
import {
  isDependent,
  isNonSync,
  type RunSample,
  readTfdt,
  readTfhd,
  readTrex,
  readTrun,
  type SampleDefaults,
} from './track-fragment.ts';

/** A track whose samples are being appended; `editTicks` are subtracted from every decode time. */
type GrowingTrack = {
  track: MovieTrack;
  defaults: SampleDefaults;
  editTicks: number;
  nextTicks: number;
  isShiftFinal: boolean;
};

/**
 * Appends the samples of movie fragments (ISO/IEC 14496-12, 8.8) to their tracks, which are empty in the moov box of a
 * fragmented file. Throws RangeError for files that FFmpeg's demuxer reads differently.
 */
export function readFragments(tracks: MovieTrack[], mvex: Buffer, fragments: FileBytes[]): void {
  const growing = new Map<number, GrowingTrack>();
  for (const { type, payload } of readBoxes(mvex)) {
    if (type !== 'trex') continue;
    const track = tracks.find(({ trackId }) => trackId === payload.readUInt32BE(4));
    if (!track) continue;
    if (track.samples.length > 0) throw new RangeError('samples both in moov and in fragments');
    const editTicks = editOffset(track);
    growing.set(track.trackId, { track, defaults: readTrex(payload), editTicks, nextTicks: 0, isShiftFinal: false });
  }
  for (const fragment of fragments) readFragment(growing, fragment);
  for (const { track, nextTicks } of growing.values()) {
    track.durationTicks = nextTicks;
    track.isInOrder = false;
    track.hasKeyTable = true;
  }
}

/**
 * The samples are not known yet when the edit list is read, so only an empty edit and one edit of media are supported.
 */
function editOffset({ edits }: MovieTrack): number {
  const [first, second, ...more] = edits;
  if (!first) return 0;
  const [delayTicks, edit] = first.mediaTime === -1 ? [first.segmentDuration, second] : [0, first];
  if (more.length > 0 || (delayTicks === 0 && second)) throw new RangeError('several edits of fragments');
  return (edit?.mediaTime ?? 0) - delayTicks;
}

function readFragment(growing: Map<number, GrowingTrack>, { start, bytes }: FileBytes): void {
  const payload = bytes.subarray(bytes.readUInt32BE(0) === 1 ? 16 : 8);
  let implicitPosition = start;
  for (const { type, payload: traf } of readBoxes(payload)) {
    if (type !== 'traf') continue;
    const tfhd = need(boxesByType(traf, ['tfhd', 'tfdt']), 'tfhd');
    const target = growing.get(tfhd.readUInt32BE(4));
    if (!target) throw new RangeError('a fragment of an unknown track');
    implicitPosition = readTrackFragment(target, traf, { moofPosition: start, implicitPosition });
  }
}

type Positions = { moofPosition: number; implicitPosition: number };

/** Appends the samples of one track fragment. Returns the position after its last sample. */
function readTrackFragment(target: GrowingTrack, traf: Buffer, { moofPosition, implicitPosition }: Positions): number {
  const boxes = boxesByType(traf, ['tfhd', 'tfdt']);
  const { defaults, baseDataOffset, isBaseMoof } = readTfhd(need(boxes, 'tfhd'), target.defaults);
  if (defaults.descriptionIndex > 1) throw new RangeError('fragments with several sample descriptions');
  const basePosition = baseDataOffset ?? (isBaseMoof ? moofPosition : implicitPosition);
  const tfdt = boxes.get('tfdt');
  if (tfdt) target.nextTicks = readTfdt(tfdt);
  let position = basePosition;
  for (const { type, payload } of readBoxes(traf)) {
    if (type !== 'trun') continue;
    const { dataOffset, samples } = readTrun(payload, defaults);
    position = appendRun(target, samples, dataOffset === undefined ? position : basePosition + dataOffset);
  }
  target.isShiftFinal = true;
  return position;
}

function appendRun(target: GrowingTrack, samples: Iterable<RunSample>, start: number): number {
  const { track } = target;
  const list = track.samples;
  let position = start;
  // where fragments overlap in time, the earlier fragment is presented
  const presentedUntil = list.length > 0 ? list.decodeTicks[list.length - 1]! : Number.NEGATIVE_INFINITY;
  for (const { durationTicks, bytes, flags, compositionOffset } of samples) {
    if (bytes === 0) throw new RangeError('an empty sample');
    if (compositionOffset < -track.shiftTicks) {
      // the demuxer has already returned samples with the old shift
      if (target.isShiftFinal) throw new RangeError('composition offsets that decrease in a later fragment');
      track.shiftTicks = -compositionOffset;
    }
    const decodeTicks = target.nextTicks - target.editTicks;
    pushSample(list, {
      position,
      bytes,
      decodeTicks,
      compositionOffset,
      isKey: track.kind === 'audio' || !(isNonSync(flags) || isDependent(flags)),
      isHidden: presentedUntil >= decodeTicks,
    });
    target.nextTicks += durationTicks;
    position += bytes;
  }
  return position;
}

export const fragmentsBox = (moov: Buffer): Buffer | undefined =>
  readBoxes(moov).find(({ type }) => type === 'mvex')?.payload;
