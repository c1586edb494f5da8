import { rescale } from '../../shared/media/rational.ts';
import { type EditShift, maxEdits } from '../../shared/protocol/probe-result.ts';
import { findStartSample } from './find-sample.ts';
import { readSafe64, tableOf } from './full-box.ts';
import { createSampleList, isKeySample, pushSample, type SampleList } from './sample-list.ts';
import type { SampleTable } from './sample-table.ts';

/**
 * An entry of an edit list (ISO/IEC 14496-12, 8.6.6) in ticks of the track: the media from `mediaTime` on is presented
 * for `segmentDuration`. A `mediaTime` of -1 is an empty edit, which presents nothing. `speed` is absent when it is 1.
 * FFmpeg ignores others.
 */
export type Edit = { segmentDuration: number; mediaTime: number; speed?: number };

/** Throws RangeError for an edit list that is inconsistent or too long. */
export function readEdits(elst: Buffer, movieTimescale: number, timescale: number): Edit[] {
  const isLong = elst[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const { count, entries } = tableOf(elst, entryBytes);
  if (count > maxEdits || 8 + count * entryBytes !== elst.length) throw new RangeError('an invalid edit list');
  return Array.from({ length: count }, (_, edit) => {
    const at = edit * entryBytes;
    const movieTicks = isLong ? readSafe64(entries, at) : entries.readUInt32BE(at);
    const mediaTime = isLong ? readSafe64(entries, at + 8) : entries.readInt32BE(at + 4);
    if (movieTicks < 0 || mediaTime < -1) throw new RangeError('a negative edit');
    const segmentDuration = rescale(movieTicks, { num: 1, den: movieTimescale }, { num: 1, den: timescale });
    const speed = entries.readInt32BE(at + entryBytes - 4) / 2 ** 16;
    return { segmentDuration, mediaTime, ...(speed !== 1 && mediaTime !== -1 ? { speed } : {}) };
  });
}

type Kind = { isAudio: boolean; timescale: number };
type EditedTrack = { samples: SampleList; durationTicks: number; editShifts: EditShift[] };

/**
 * Applies an edit list to the samples of a track. The result has the same samples and times as FFmpeg's mov_fix_index,
 * because the encoder sees FFmpeg's:
 *
 * 1. Empty edits at the start delay the track. A later empty edit presents the beginning of the media, as in FFmpeg.
 * 2. Each edit contributes its samples, and hidden ones that the decoder needs before the first presented sample.
 * 3. A video track whose first frame would be presented after the delay is moved back to it.
 */
export function applyEdits(table: SampleTable, edits: Edit[], kind: Kind): EditedTrack {
  const firstPlayed = edits.findIndex(({ mediaTime }) => mediaTime !== -1);
  const emptyEdits = edits.slice(0, firstPlayed === -1 ? edits.length : firstPlayed);
  const delayTicks = durationOf(emptyEdits);

  const samples = createSampleList(table.samples.length, table.samples.room);
  const played: PlayedEdit[] = [];
  let startTicks = delayTicks - Math.max(0, table.shiftTicks);
  for (const edit of edits.slice(emptyEdits.length)) {
    played.push(appendEdit(table, samples, { ...kind, edit, startTicks, isFirst: played.length === 0 }));
    startTicks += edit.segmentDuration;
  }

  const withFrames = played.filter(({ frames }) => frames > 0);
  const lateTicks = Math.min(...withFrames.map(({ firstPresentedTicks }) => firstPresentedTicks)) - delayTicks;
  if (!kind.isAudio && withFrames.length > 0 && lateTicks > 0) moveBack(samples, lateTicks);
  return { samples, durationTicks: durationOf(edits), editShifts: kind.isAudio ? [] : shiftsOf(withFrames) };
}

const durationOf = (edits: Edit[]): number => edits.reduce((sum, { segmentDuration }) => sum + segmentDuration, 0);

function moveBack(samples: SampleList, ticks: number): void {
  for (let n = 0; n < samples.length; n++) samples.decodeTicks[n]! -= ticks;
}

/** An edit and the track time at which it starts. */
type TimedEdit = Kind & { edit: Edit; startTicks: number; isFirst: boolean };

type PlayedEdit = {
  /** number of presented samples */
  frames: number;
  firstPresentedTicks: number;
  /**
   * how much later than the edit list says its first frame is presented; undefined for an empty edit, which names no
   * frame
   */
  lateTicks: number | undefined;
};

/**
 * Appends the samples of one edit. As in FFmpeg, its first presented sample in decode order is decoded at `startTicks`.
 */
function appendEdit(table: SampleTable, edited: SampleList, timed: TimedEdit): PlayedEdit {
  const { samples, shiftTicks } = table;
  const { edit, startTicks } = timed;
  const first = firstSampleOf(table, timed);
  const last = lastSampleOf(table, first, timed);
  let firstPresented = first;
  while (firstPresented <= last && presentationOf(table, firstPresented, timed) === 'hidden') firstPresented += 1;
  const isPresented = firstPresented <= last;

  const played: PlayedEdit = { frames: 0, firstPresentedTicks: Number.POSITIVE_INFINITY, lateTicks: undefined };
  let decodeTicks = startTicks;
  // hidden samples before the first presented one count back from it
  for (let n = first; isPresented && n < firstPresented; n++) decodeTicks -= sampleDuration(samples, n, edit);
  if (isPresented) decodeTicks -= trimmedTicks(table, firstPresented, timed);
  for (let n = first; n <= last; n++) {
    const presentation = presentationOf(table, n, timed);
    if (n > firstPresented) decodeTicks -= trimmedTicks(table, n, timed);
    const compositionOffset = samples.compositionOffsets[n]!;
    if (presentation === 'presented') {
      const ticks = decodeTicks + compositionOffset + shiftTicks;
      if (played.frames === 0 && edit.mediaTime !== -1) {
        played.lateTicks = ticks - (startTicks + compositionTime(table, n) - edit.mediaTime);
      }
      played.firstPresentedTicks = Math.min(played.firstPresentedTicks, ticks);
      played.frames += 1;
    }
    const [position, bytes] = [samples.positions[n]!, samples.bytes[n]!];
    const isHidden = presentation === 'hidden';
    pushSample(edited, { position, bytes, decodeTicks, compositionOffset, isKey: isKeySample(samples, n), isHidden });
    if (isPresented) decodeTicks += sampleDuration(samples, n, edit);
  }
  return played;
}

/** Time of a sample on the media timeline. */
const compositionTime = ({ samples, shiftTicks }: SampleTable, n: number): number =>
  samples.decodeTicks[n]! + shiftTicks + samples.compositionOffsets[n]!;

const sampleDuration = ({ decodeTicks, length }: SampleList, n: number, { segmentDuration }: Edit): number =>
  n + 1 < length ? decodeTicks[n + 1]! - decodeTicks[n]! : segmentDuration;

/**
 * The sample at which decoding starts: a key sample at or before the media time. An audio decoder gets one second to
 * converge.
 */
function firstSampleOf(table: SampleTable, { edit, isAudio, timescale }: TimedEdit): number {
  const firstTicks = table.samples.decodeTicks[0]!;
  return findStartSample(table, isAudio ? Math.max(edit.mediaTime - timescale, firstTicks) : edit.mediaTime);
}

/**
 * The last sample of an edit: for audio the first sample that reaches the end, for video the first key sample that
 * does. With composition offsets it is the second such key sample, because frames that follow a key sample can be
 * presented before it.
 */
function lastSampleOf(table: SampleTable, first: number, { edit, isAudio }: TimedEdit): number {
  const { samples } = table;
  const endTicks = edit.mediaTime + edit.segmentDuration;
  let remaining = table.hasOffsets && !isAudio ? 2 : 1;
  for (let n = first; n < samples.length; n++) {
    const reachesEnd = compositionTime(table, n) + sampleDuration(samples, n, edit) >= endTicks;
    if (reachesEnd && (isKeySample(samples, n) || isAudio)) remaining -= 1;
    if (remaining === 0) return n;
  }
  return samples.length - 1;
}

/** `trimmed`: the first edit of audio starts within the sample. */
type Presentation = 'presented' | 'trimmed' | 'hidden';

function presentationOf(table: SampleTable, n: number, timed: TimedEdit): Presentation {
  const { mediaTime, segmentDuration } = timed.edit;
  const ticks = compositionTime(table, n);
  if (ticks >= mediaTime && ticks < mediaTime + segmentDuration) return 'presented';
  return trimmedTicks(table, n, timed) > 0 ? 'trimmed' : 'hidden';
}

/** How much of a sample lies before the first edit of audio, if the rest lies after its start. */
function trimmedTicks(table: SampleTable, n: number, { edit, isAudio, isFirst }: TimedEdit): number {
  if (!isAudio || !isFirst) return 0;
  const ticks = compositionTime(table, n);
  const isTrimmed = ticks < edit.mediaTime && ticks + sampleDuration(table.samples, n, edit) > edit.mediaTime;
  return isTrimmed ? edit.mediaTime - ticks : 0;
}

/**
 * Corrections that let each edit start where the previous one ends. Empty when all edits are late by the same time and
 * need none.
 */
function shiftsOf(played: PlayedEdit[]): EditShift[] {
  const firstLateTicks = played.find(({ lateTicks }) => lateTicks !== undefined)?.lateTicks ?? 0;
  const shifts = played.map(({ frames, lateTicks = firstLateTicks }) => ({
    frames,
    shiftTicks: firstLateTicks - lateTicks,
  }));
  return shifts.some(({ shiftTicks }) => shiftTicks !== 0) ? shifts : [];
}
