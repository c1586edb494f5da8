import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { isFinal } from '../../contracts/statuses.ts';
import { tryTransact } from '../items/conditional.ts';
import { due } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import { countIndex, getItem, getItems, type Write } from '../items/items.ts';
import { keys, listKey, owned } from '../items/keys.ts';
import { videoRecord } from '../records.ts';
import { type WaitingVideo, waitingAmong } from './waiting-line.ts';

/**
 * Slots are counted in this many items, and each has a part of the limit. The sum cannot exceed the limit, and two
 * videos that start or end at the same time rarely write the same item.
 */
const parts = 16;

const slotRecord = z.object({ videoUlid: z.string(), ownerUlid: z.string(), part: z.int() });
const partRecord = z.object({ part: z.int(), count: z.int() });

/** The share of the limit that a part has. */
const limitOfPart = (limit: number, part: number): number => Math.floor(limit / parts) + (part < limit % parts ? 1 : 0);

/** How many slots each part has given. Undefined for a part that has never given one. */
async function countsOfParts(): Promise<(number | undefined)[]> {
  const numbers = Array.from({ length: parts }, (_, part) => part);
  const known = (await getItems(numbers.map((part) => keys.slotCount(part)))).map((item) => partRecord.parse(item));
  return numbers.map((part) => known.find((one) => one.part === part)?.count);
}

/** How many videos have a slot. */
export const countAdmitted = async (): Promise<number> =>
  (await countsOfParts()).reduce<number>((sum, count = 0) => sum + count, 0);

export const hasOwnSlot = async (videoUlid: string): Promise<boolean> =>
  (await getItem(slotRecord, keys.slot(videoUlid))) !== undefined;

/** How many videos of an owner have a slot, from an eventually consistent index. */
export const countAdmittedOf = (ownerUlid: string): Promise<number> =>
  countIndex('byOwner', listKey(ownerUlid, 'admitted'));

/** Gives a video one of `limit` slots. True also when it has one already. */
export async function acquireSlot(video: WaitingVideo, limit: number): Promise<boolean> {
  const { videoUlid } = video;
  for (;;) {
    if (await hasOwnSlot(videoUlid)) return true;
    const free = (await countsOfParts()).flatMap((count, part) =>
      (count ?? 0) < limitOfPart(limit, part) ? [{ part, count }] : [],
    );
    const chosen = free[Math.floor(Math.random() * free.length)];
    if (!chosen) return false;
    // Fails when the last slot of the part was given since the read: the other parts are tried.
    if (await tryTransact(slotWrites(video, chosen, limitOfPart(limit, chosen.part)))) return true;
  }
}

const slotWrites = (
  { videoUlid, ownerUlid }: WaitingVideo,
  { part, count }: { part: number; count: number | undefined },
  limit: number,
): Write[] => [
  {
    put: {
      ...keys.slot(videoUlid),
      ...owned(ownerUlid, 'admitted', videoUlid),
      ...due('slot', videoUlid, timestamp()),
      kind: 'slot',
      videoUlid,
      ownerUlid,
      part,
    },
    when: { exists: false },
  },
  count === undefined
    ? { put: { ...keys.slotCount(part), kind: 'slot-count', part, count: 1 }, when: { exists: false } }
    : { update: keys.slotCount(part), add: { count: 1 }, when: { below: { count: limit } } },
];

/** Releases a video's slot. False when the video has none. */
export async function freeSlot(videoUlid: string): Promise<boolean> {
  const slot = await getItem(slotRecord, keys.slot(videoUlid));
  if (!slot) return false;
  return tryTransact([
    { delete: keys.slot(videoUlid), when: { equals: { part: slot.part } } },
    { update: keys.slotCount(slot.part), add: { count: -1 } },
  ]);
}

/** The videos that have a slot, each with its owner. The limit of slots bounds them. */
export async function findAdmitted(): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  for await (const page of slotPages()) {
    found.push(...page.map(({ videoUlid, ownerUlid }): [string, string] => [videoUlid, ownerUlid]));
  }
  return Object.fromEntries(found);
}

/** `isWaiting`: the video got its slot and still waits. Otherwise it has ended or is deleted. */
export type UnusedSlot = WaitingVideo & { isWaiting: boolean };

/** Slots that no execution uses, page by page. */
export async function* unusedSlots(): AsyncGenerator<UnusedSlot[]> {
  for await (const page of slotPages()) {
    const items = await getItems(page.map(({ videoUlid }) => keys.video(videoUlid)));
    const videos = items.map((item) => videoRecord.parse(item));
    const open = videos.filter(({ status, deletedAt }) => !isFinal(status) && deletedAt === undefined);
    const pending = open.filter(({ status }) => status === 'pending').map(({ ulid }) => ulid);
    const waiting = await waitingAmong(pending);
    const used = new Set(open.map(({ ulid }) => ulid).filter((ulid) => !waiting.has(ulid)));
    yield page
      .filter(({ videoUlid }) => !used.has(videoUlid))
      .map((slot) => ({ ...slot, isWaiting: waiting.has(slot.videoUlid) }));
  }
}

async function* slotPages(): AsyncGenerator<WaitingVideo[]> {
  for await (const page of duePages(['slot'])) {
    const slots = (await getItems(page)).map((item) => slotRecord.parse(item));
    yield slots.map(({ videoUlid, ownerUlid }) => ({ videoUlid, ownerUlid }));
  }
}
