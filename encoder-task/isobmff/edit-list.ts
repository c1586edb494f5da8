import { rescale } from '../../shared/media/rescale.ts';
import { type EditShift, maxEdits } from '../../shared/protocol/probe-result.ts';
import { readSafe64, tableOf } from './full-box.ts';
import { createSampleList, keyFlag, pushSample, type SampleList } from './sample-list.ts';
import type { SampleTable } from './sample-table.ts';

/** Times in ticks of the track; `mediaTicks` is -1 for a pause. */
export type Edit = { durationTicks: number; mediaTicks: number };

export function readEdits(elst: Buffer, movieTimescale: number, timescale: number): Edit[] {
  const isLong = elst[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const { count, entries } = tableOf(elst, entryBytes);
  if (count > maxEdits || 8 + count * entryBytes !== elst.length) throw new RangeError('an odd edit list');
  return Array.from({ length: count }, (_, edit) => {
    const at = edit * entryBytes;
    const duration = isLong ? readSafe64(entries, at) : entries.readUInt32BE(at);
    const mediaTicks = isLong ? readSafe64(entries, at + 8) : entries.readInt32BE(at + 4);
    if (duration < 0 || mediaTicks < -1) throw new RangeError('a negative edit');
    return {
      durationTicks: rescale(duration, { num: 1, den: movieTimescale }, { num: 1, den: timescale }),
      mediaTicks,
    };
  });
}

type Edited = { samples: SampleList; durationTicks: number; editShifts: EditShift[] };
type Kind = { isAudio: boolean; timescale: number };

/**
 * Samples as they are shown by an edit list: the ones needed to decode the first of an edit come along hidden, and the track starts at 0 or after
 * its pauses. Step for step what FFmpeg's mov_fix_index does, whose times the encoder sees. An edit of a pause that is not in front shows the beginning of
 * the media, as there.
 */
export function applyEdits(table: SampleTable, edits: Edit[], kind: Kind): Edited {
  const firstPlayed = edits.findIndex(({ mediaTicks }) => mediaTicks !== -1);
  const pauses = edits.slice(0, firstPlayed === -1 ? edits.length : firstPlayed);
  const pauseTicks = sumOf(pauses);
  const samples = createSampleList(table.samples.length, table.samples.room);
  const played: PlayedEdit[] = [];
  let entryTicks = pauseTicks - Math.max(0, table.shiftTicks);
  for (const edit of edits.slice(pauses.length)) {
    played.push(playEdit(table, samples, { ...kind, edit, entryTicks, isFirst: played.length === 0 }));
    entryTicks += edit.durationTicks;
  }
  const shown = played.filter(({ frames }) => frames > 0);
  const surplusTicks = Math.min(...shown.map(({ firstTicks }) => firstTicks)) - pauseTicks;
  if (!kind.isAudio && shown.length > 0 && surplusTicks > 0) moveBack(samples, surplusTicks);
  return { samples, durationTicks: sumOf(edits), editShifts: kind.isAudio ? [] : shiftsOf(shown) };
}

const sumOf = (edits: Edit[]): number => edits.reduce((sum, { durationTicks }) => sum + durationTicks, 0);

/** `firstTicks` is when its first frame is shown, `lateTicks` how much later it comes than the edit list says. */
type PlayedEdit = { frames: number; firstTicks: number; lateTicks: number | undefined };

type EditPlace = Kind & { edit: Edit; entryTicks: number; isFirst: boolean };

/** Appends the samples of one edit. FFmpeg gives the start of an edit to the sample that is decoded first, be it shown first or not. */
function playEdit(table: SampleTable, edited: SampleList, place: EditPlace): PlayedEdit {
  const { samples, shiftTicks } = table;
  const { edit, entryTicks, isAudio, isFirst } = place;
  const endTicks = edit.mediaTicks + edit.durationTicks;
  // of a pause no edit list says which frames are shown in it
  const isPause = edit.mediaTicks === -1;
  const played: PlayedEdit = { frames: 0, firstTicks: Number.POSITIVE_INFINITY, lateTicks: undefined };
  const leadDurations: number[] = [];
  let [counter, isStarted, sawKeyAfterEnd] = [entryTicks, false, false];
  for (let index = firstSampleOf(table, place); index < samples.length; index++) {
    const frameTicks = frameTicksOf(samples, index, edit);
    const compositionOffset = samples.compositionOffsets[index]!;
    const mediaTicks = samples.decodeTicks[index]! + shiftTicks + compositionOffset;
    const isKey = (samples.flags[index]! & keyFlag) !== 0;
    const isWithin = mediaTicks >= edit.mediaTicks && mediaTicks < endTicks;
    const isCutByStart =
      isAudio && isFirst && mediaTicks < edit.mediaTicks && mediaTicks + frameTicks > edit.mediaTicks;
    const isHidden = !isWithin && !isCutByStart;
    if (isCutByStart) counter -= edit.mediaTicks - mediaTicks;
    if (isWithin) {
      const ticks = counter + compositionOffset + shiftTicks;
      if (played.frames === 0 && !isPause) played.lateTicks = ticks - (entryTicks + mediaTicks - edit.mediaTicks);
      played.firstTicks = Math.min(played.firstTicks, ticks);
      played.frames += 1;
    }
    if (!isHidden && !isStarted) {
      isStarted = true;
      countBack(edited, counter, leadDurations);
    }
    if (!isStarted) leadDurations.push(frameTicks);
    const [position, bytes] = [samples.positions[index]!, samples.bytes[index]!];
    pushSample(edited, { position, bytes, decodeTicks: counter, compositionOffset, isKey, isHidden });
    if (isStarted) counter += frameTicks;
    const isPastEnd = mediaTicks + frameTicks >= endTicks && (isKey || isAudio);
    // frames that are shown before a key frame may follow it
    const mayMoreFollow = table.hasOffsets && !isAudio && !sawKeyAfterEnd;
    if (isPastEnd && !mayMoreFollow) break;
    sawKeyAfterEnd ||= isPastEnd;
  }
  return played;
}

/** An audio decoder is warmed up for a second. */
function firstSampleOf(table: SampleTable, { edit, isAudio, timescale }: EditPlace): number {
  const { decodeTicks } = table.samples;
  return startIndex(table, isAudio ? Math.max(edit.mediaTicks - timescale, decodeTicks[0]!) : edit.mediaTicks);
}

const frameTicksOf = ({ decodeTicks, length }: SampleList, index: number, { durationTicks }: Edit): number =>
  index + 1 < length ? decodeTicks[index + 1]! - decodeTicks[index]! : durationTicks;

/** Hidden samples before the first shown one count back from it. */
function countBack(edited: SampleList, firstTicks: number, durations: number[]): void {
  let ticks = firstTicks;
  for (let back = 1; back <= durations.length; back++) {
    ticks -= durations[durations.length - back]!;
    edited.decodeTicks[edited.length - back] = ticks;
  }
}

function moveBack(samples: SampleList, ticks: number): void {
  for (let n = 0; n < samples.length; n++) samples.decodeTicks[n]! -= ticks;
}

/** Empty where all edits are late by the same: then each begins when the one before it ends. */
function shiftsOf(shown: PlayedEdit[]): EditShift[] {
  const firstLateTicks = shown.find(({ lateTicks }) => lateTicks !== undefined)?.lateTicks ?? 0;
  const shifts = shown.map(({ frames, lateTicks = firstLateTicks }) => ({
    frames,
    shiftTicks: firstLateTicks - lateTicks,
  }));
  return shifts.some(({ shiftTicks }) => shiftTicks !== 0) ? shifts : [];
}

/** The key sample at or before a time; where there is none any sample, and where there is none of those the first. */
function startIndex(table: SampleTable, wantedTicks: number): number {
  const wanted = wantedTicks - Math.max(0, table.shiftTicks);
  const byKey = searchBack(table, wanted, true);
  if (byKey >= 0) return byKey;
  return Math.max(0, searchBack(table, wanted, false));
}

function searchBack({ samples, hasOffsets }: SampleTable, wanted: number, keysOnly: boolean): number {
  const { decodeTicks, compositionOffsets, flags } = samples;
  const isKey = (index: number): boolean => (flags[index]! & keyFlag) !== 0;
  let index = lastAtOrBefore(samples, wanted);
  if (keysOnly) while (index >= 0 && !isKey(index)) index -= 1;
  for (let n = index; n > 0 && decodeTicks[n] === decodeTicks[n - 1]; n--) {
    if (!keysOnly || isKey(n - 1)) index = n - 1;
  }
  // decoded before the time is not yet shown before it
  if (hasOffsets) {
    while (index >= 0 && !(decodeTicks[index]! + compositionOffsets[index]! <= wanted && isKey(index))) index -= 1;
  }
  return index;
}

/** Decode times never fall. */
function lastAtOrBefore({ decodeTicks, length }: SampleList, wanted: number): number {
  let [low, high] = [-1, length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (decodeTicks[middle]! <= wanted) low = middle;
    else high = middle;
  }
  return low;
}
