import { rescale } from '../../shared/rescale.ts';
import { readSafe64, tableOf } from './full-box.ts';
import { createSampleList, keyFlag, pushSample, type SampleList } from './sample-list.ts';
import type { SampleTable } from './sample-table.ts';

/** Times in ticks of the track; `mediaTicks` is -1 for a pause. */
export type Edit = { durationTicks: number; mediaTicks: number };

/** Editors make a handful; every edit may repeat all samples. */
const maxEdits = 64;

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

type Edited = { samples: SampleList; durationTicks: number };

/**
 * Samples as they are shown by an edit list: the ones needed to decode the first of an edit come along hidden, and the track starts at 0 or after
 * its pauses. Step for step what FFmpeg's mov_fix_index does, whose times the encoder sees.
 */
export function applyEdits(
  table: SampleTable,
  edits: Edit[],
  { isAudio, timescale }: { isAudio: boolean; timescale: number },
): Edited {
  const { samples, shiftTicks } = table;
  const edited = createSampleList(samples.length, samples.room);
  let entryEnd = shiftTicks > 0 ? -shiftTicks : 0;
  const start = entryEnd;
  let firstShown = -1;
  let pauseTicks = 0;
  let mediaEdits = 0;

  for (const { durationTicks, mediaTicks } of edits) {
    let counter = entryEnd;
    entryEnd += durationTicks;
    if (mediaEdits === 0 && mediaTicks === -1) {
      pauseTicks += durationTicks;
      continue;
    }
    mediaEdits += 1;
    // an audio decoder is warmed up for a second
    const wanted = isAudio ? Math.max(mediaTicks - timescale, samples.decodeTicks[0]!) : mediaTicks;
    const hiddenDurations: number[] = [];
    let isStarted = false;
    let sawKeyAfter = false;
    for (let index = startIndex(table, wanted); index < samples.length; index++) {
      const frameTicks =
        index + 1 < samples.length ? samples.decodeTicks[index + 1]! - samples.decodeTicks[index]! : durationTicks;
      const offset = samples.compositionOffsets[index]!;
      const shown = samples.decodeTicks[index]! + shiftTicks + offset;
      const isKey = (samples.flags[index]! & keyFlag) !== 0;
      let isHidden = false;
      const begin = (): void => {
        if (isStarted) return;
        isStarted = true;
        rewindHidden(edited, counter, hiddenDurations);
      };
      if (shown < mediaTicks || shown >= durationTicks + mediaTicks) {
        const isCutByStart = isAudio && mediaEdits === 1 && shown < mediaTicks && shown + frameTicks > mediaTicks;
        if (isCutByStart) {
          counter -= mediaTicks - shown;
          begin();
        } else {
          isHidden = true;
          if (!isStarted) hiddenDurations.push(frameTicks);
        }
      } else {
        const ticks = counter + offset + shiftTicks;
        firstShown = firstShown < 0 ? ticks : Math.min(firstShown, ticks);
        begin();
      }
      pushSample(edited, {
        position: samples.positions[index]!,
        bytes: samples.bytes[index]!,
        decodeTicks: counter,
        compositionOffset: offset,
        isKey,
        isHidden,
      });
      if (isStarted) counter += frameTicks;
      if (shown + frameTicks >= durationTicks + mediaTicks && (isKey || isAudio)) {
        // frames that are shown before this key frame may follow it
        if (table.hasOffsets && !isAudio && !sawKeyAfter) sawKeyAfter = true;
        else break;
      }
    }
  }
  const surplus = firstShown - pauseTicks;
  if (!isAudio && surplus > 0) for (let n = 0; n < edited.length; n++) edited.decodeTicks[n]! -= surplus;
  return { samples: edited, durationTicks: entryEnd - start };
}

/** Hidden samples before the first shown one count back from it. */
function rewindHidden(edited: SampleList, firstTicks: number, durations: number[]): void {
  let ticks = firstTicks;
  for (let back = 1; back <= durations.length; back++) {
    ticks -= durations[durations.length - back]!;
    edited.decodeTicks[edited.length - back] = ticks;
  }
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
