import { bucketField, positionField } from '../common/view-counts.ts';
import { bucketOf, type DistributionName, distributionNames } from '../common/view-distributions.ts';
import {
  type Counts,
  logDigest,
  type Playback,
  type Told,
  type ViewerSession,
} from '../table/views/viewer-sessions.ts';
import { sumOfTold } from './sum-told.ts';
import { positionSlots, slotMilliseconds, slotsBetween, type Timeline } from './timeline.ts';

/** What one log has of one viewer's playback of a video. */
export type HeardPlayback = {
  /** the first day of its lines */
  date: string;
  /** whether it has loaded a part of a media file */
  hasMedia: boolean;
  /** the loaded parts by UTC day, in seconds of the video */
  parts: { date: string; from: number; to: number }[];
  /** the loaded share of progressive files by UTC day: bytes, and how many the whole file has */
  files: { date: string; name: string; bytes: number; fileBytes: number }[];
  told: Told | undefined;
};

/** Numbers by UTC day. */
export type DayCounts = Map<string, Counts>;

/** Viewers of one session that are told apart. The others are one: anyone can invent any number of them. */
export const maxPlaybacks = 8;
/** Logs that were interrupted and not repeated. */
const maxAdded = 50;
const maxCounted = 16;
const maxFiles = 4;

type Merge = {
  log: string;
  /** for a signed URL: the log counts the session for the stage if no other has */
  countsSession: boolean;
  timeline: Timeline;
  heard: ReadonlyMap<string, HeardPlayback>;
  /** whether a log is counted for good, so that what it has added need not be remembered */
  isCounted: (log: string) => boolean;
};

/**
 * Adds what a log has of a session. The session remembers what that adds to the sums of the video's days: if the log is
 * read again because a call has died, it adds the same.
 */
export function mergeSession(
  present: ViewerSession,
  { log, countsSession, timeline, heard, isCounted }: Merge,
): { session: ViewerSession | undefined; result: { days: Record<string, Counts>; isFirst: boolean } } {
  const countedBy = present.countedBy ?? (countsSession ? log : undefined);
  const isFirst = countedBy === log;
  const known = present.added.find((one) => one.log === log);
  if (known || present.counted.includes(logDigest(log))) {
    return { session: undefined, result: { days: known?.days ?? {}, isFirst } };
  }
  const playbacks = { ...present.playbacks };
  const days: DayCounts = new Map();
  let hasChanged = present.countedBy !== countedBy;
  for (const [viewer, playback] of heard) {
    const name = nameOf(viewer, playbacks);
    const stored = playbacks[name];
    if (!stored && !playback.hasMedia) continue;
    playbacks[name] = mergePlayback(stored, playback, timeline, days);
    hasChanged = true;
  }
  const result = { days: Object.fromEntries(days), isFirst };
  if (!hasChanged) return { session: undefined, result };
  const { true: done = [], false: open = [] } = Object.groupBy(present.added, (one) => `${isCounted(one.log)}`);
  const session: ViewerSession = {
    ...(countedBy !== undefined && { countedBy }),
    playbacks,
    added: [...open, { log, days: result.days }].slice(-maxAdded),
    counted: [...present.counted, ...done.map((one) => logDigest(one.log))].slice(-maxCounted),
  };
  return { session, result };
}

/** The rest is counted together, under the empty name. */
function nameOf(viewer: string, playbacks: Readonly<Record<string, Playback>>): string {
  const isToldApart = viewer in playbacks || Object.keys(playbacks).filter(Boolean).length < maxPlaybacks;
  return isToldApart ? viewer : '';
}

function mergePlayback(
  stored: Playback | undefined,
  heard: HeardPlayback,
  timeline: Timeline,
  days: DayCounts,
): Playback {
  const playback: Playback = stored
    ? { ...stored, files: { ...stored.files } }
    : { date: heard.date, slots: new Uint8Array(), files: {} };
  if (!stored) addTo(days, playback.date, 'views', 1);
  const before = stored ? bucketsOf(stored, timeline) : new Map<DistributionName, number>();
  const loaded = createBits(playback.slots, timeline.slots);
  const positions = Map.groupBy(positionSlots(timeline).entries(), ([, slot]) => slot);
  const load = (date: string, from: number, to: number): void => {
    const range = slotsBetween(timeline, from, to);
    for (let slot = range.from; slot < range.to; slot++) {
      if (!loaded.set(slot)) continue;
      addTo(days, date, 'watchedMilliseconds', slotMilliseconds(timeline, slot));
      for (const [position] of positions.get(slot) ?? []) addTo(days, date, positionField(position), 1);
    }
  };
  for (const { date, from, to } of heard.parts) load(date, from, to);
  const files = playback.files ?? {};
  for (const { date, name, bytes, fileBytes } of heard.files) {
    if (!(name in files) && Object.keys(files).length >= maxFiles) continue;
    files[name] = Math.min(fileBytes, (files[name] ?? 0) + bytes);
    load(date, 0, (files[name] / fileBytes) * timeline.durationSeconds);
  }
  playback.slots = loaded.bytes();
  if (Object.keys(files).length === 0) delete playback.files;
  if (heard.told) playback.told = stored?.told ? sumOfTold(stored.told, heard.told) : heard.told;
  countMoves(before, bucketsOf(playback, timeline), (field, count) => addTo(days, playback.date, field, count));
  return playback;
}

/** A playback has one bucket of each distribution. When it gets another one, it leaves the one before. */
function countMoves(
  before: ReadonlyMap<DistributionName, number>,
  after: ReadonlyMap<DistributionName, number>,
  add: (field: string, count: number) => void,
): void {
  for (const name of distributionNames) {
    const [left, entered] = [before.get(name), after.get(name)];
    if (left === entered) continue;
    if (left !== undefined) add(bucketField(name, left), -1);
    if (entered !== undefined) add(bucketField(name, entered), 1);
  }
}

/** The buckets of a playback, in distributions to which its player has told something. */
function bucketsOf({ slots, told }: Playback, timeline: Timeline): Map<DistributionName, number> {
  const buckets = new Map<DistributionName, number>();
  if (!told) return buckets;
  const put = (name: DistributionName, value: number): void => {
    buckets.set(name, bucketOf(name, value));
  };
  const watched = watchedMilliseconds(slots, timeline);
  if (told.startupMilliseconds !== undefined) put('startup_ms', told.startupMilliseconds);
  if (watched > 0) {
    const stalled = stalledMilliseconds(told);
    put('rebuffering_share', stalled / (stalled + watched));
  }
  if (told.kilobitMilliseconds > 0) put('bitrate_kbps', told.kilobits / told.kilobitMilliseconds);
  put('errors', Math.max(told.errors, told.hasFailed ? 1 : 0));
  return buckets;
}

/**
 * How long a viewer waited in the middle. Players of version 1 tell only that the buffer was empty: then it is how much
 * longer the responses took than the buffer lasted.
 */
function stalledMilliseconds(told: Told): number {
  if (told.totalStalledMilliseconds !== undefined || told.stalledMilliseconds > 0) {
    return Math.max(told.totalStalledMilliseconds ?? 0, told.stalledMilliseconds);
  }
  return told.starvations > 0 ? told.lateMilliseconds : 0;
}

function watchedMilliseconds(slots: Uint8Array, timeline: Timeline): number {
  let sum = 0;
  for (let slot = 0; slot < slots.length * 8; slot++) {
    if (((slots[slot >> 3] ?? 0) >> (slot & 7)) & 1) sum += slotMilliseconds(timeline, slot);
  }
  return sum;
}

/** Bits that are stored without the zeros at their end. */
function createBits(stored: Uint8Array, count: number) {
  const bits = new Uint8Array(Math.max(stored.length, Math.ceil(count / 8)));
  bits.set(stored);
  return {
    /** false when it was set before */
    set(position: number): boolean {
      const [index, mask] = [position >> 3, 1 << (position & 7)];
      const isNew = ((bits[index] ?? 0) & mask) === 0;
      bits[index] = (bits[index] ?? 0) | mask;
      return isNew;
    },
    bytes: () => bits.slice(0, bits.findLastIndex((byte) => byte !== 0) + 1),
  };
}

export function addTo(days: DayCounts, date: string, field: string, amount: number): void {
  const counts = days.get(date) ?? {};
  counts[field] = (counts[field] ?? 0) + amount;
  days.set(date, counts);
}
