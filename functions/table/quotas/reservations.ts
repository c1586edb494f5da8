import * as z from 'zod';
import { isFinal } from '../../contracts/statuses.ts';
import { tryWrite } from '../items/conditional.ts';
import { duePages } from '../items/due-pages.ts';
import { getItem, getItems, type Item, queryItems, type Write } from '../items/items.ts';
import { type Key, keys, reservedFor, ulidIn } from '../items/keys.ts';
import { captionRecord, streamEditRecord, uploadRecord, type Video, videoRecord } from '../records.ts';
import { type Amounts, reservationCheck, reservationWrite } from '../writes/reservation-writes.ts';

const reservation = z.object({
  pk: z.string(),
  sk: z.string(),
  /** of the write that made it */
  token: z.string(),
  uploadBytes: z.number(),
  cpuMilliseconds: z.number().transform((left) => Math.max(0, left)),
});
type Reservation = z.infer<typeof reservation>;

const listItems = (userUlid: string): Promise<Item[]> => {
  const { pk, sk } = keys.reservations(userUlid);
  return queryItems(pk, sk);
};

/** Items that are no reservation are left by jobs that finished after the release of their run. */
const asReservation = (item: Item): Reservation[] => {
  const { data } = reservation.safeParse(item);
  return data ? [data] : [];
};

/** What is reserved for a user's open uploads and unfinished runs, without that of the given keys. */
export async function sumReserved(userUlid: string, without: readonly Key[] = []): Promise<Amounts> {
  const held = (await listItems(userUlid)).flatMap(asReservation);
  const counted = held.filter(({ sk }) => !without.some((key) => key.sk === sk));
  return {
    uploadBytes: counted.reduce((sum, { uploadBytes }) => sum + uploadBytes, 0),
    cpuMilliseconds: counted.reduce((sum, { cpuMilliseconds }) => sum + cpuMilliseconds, 0),
  };
}

/**
 * Deletes a user's reservations whose upload or run has ended or belongs to another user. Each ending releases its
 * reservation in its own transaction; this is for what no transaction covers, such as a change of owner during a plan.
 * Returns how many were deleted.
 */
export async function removeStaleReservations(userUlid: string): Promise<number> {
  let removed = 0;
  for (const item of await listItems(userUlid)) if (await removeIfStale(item)) removed += 1;
  return removed;
}

/** Reservations that are to be checked now, the oldest first, page by page. */
export async function* dueReservations(): AsyncGenerator<Item[]> {
  for await (const page of duePages(['reservation'])) yield await getItems(page);
}

/** Deletes a reservation that is held for nothing, or has it checked again later. True when an amount was released. */
export async function checkReservation(item: Item): Promise<boolean> {
  const isReleased = await removeIfStale(item);
  const key = { pk: item.pk, sk: item.sk };
  if (!isReleased) await tryWrite({ update: key, set: reservationCheck(key), when: { exists: true } });
  return isReleased;
}

async function removeIfStale(item: Item): Promise<boolean> {
  const [held] = asReservation(item);
  if (held && (await isHeld(ulidIn(item), held))) return false;
  // Not one that was made after the read.
  const isSame = held ? { equals: { token: held.token } } : { absent: ['token'] };
  const isRemoved = await tryWrite({ delete: { pk: item.pk, sk: item.sk }, when: isSame });
  return isRemoved && held !== undefined;
}

async function isHeld(userUlid: string, held: Reservation): Promise<boolean> {
  const target = reservedFor(held);
  if ('uploadUlid' in target) {
    const upload = await getItem(uploadRecord, keys.upload(target.uploadUlid));
    return upload?.ownerUlid === userUlid && (upload.status === 'open' || upload.status === 'completing');
  }
  const video = await getItem(videoRecord, keys.video(target.videoUlid));
  if (video?.ownerUlid !== userUlid || video.deletedAt !== undefined) return false;
  if ('request' in target) {
    const { pk, sk } = keys.captions(target.videoUlid);
    const captions = (await queryItems(pk, sk)).flatMap((one) => captionRecord.safeParse(one).data ?? []);
    return captions.some(({ status, speech }) => status === 'pending' && speech?.request === target.request);
  }
  if (video.planNumber === target.planNumber) return !isFinal(video.status);
  return (await getItem(streamEditRecord, keys.streamEdit(target.videoUlid, target.planNumber))) !== undefined;
}

/** Moves what is held for the work on a video to its new owner. A condition fails when a run was planned anew. */
export async function reservationMoves({ ulid, ownerUlid }: Video, newOwnerUlid: string): Promise<Write[]> {
  const held = (await itemsOfVideo(ownerUlid, ulid)).flatMap(asReservation);
  return held.flatMap(({ token, uploadBytes, cpuMilliseconds, ...key }): Write[] => [
    { delete: key, when: { equals: { token } } },
    reservationWrite({ ...key, pk: keys.reservations(newOwnerUlid).pk }, { uploadBytes, cpuMilliseconds }),
  ]);
}

/** What is held for the runs and the captions from speech of a video. */
async function itemsOfVideo(ownerUlid: string, videoUlid: string): Promise<Item[]> {
  const held = [keys.runReservation(ownerUlid, videoUlid), keys.speechReservation(ownerUlid, videoUlid)];
  return (await Promise.all(held.map(({ pk, sk }) => queryItems(pk, sk)))).flat();
}

/** Releases what is held for the work on a deleted video. */
export async function releaseWork({ ulid, ownerUlid }: Video): Promise<void> {
  for (const item of await itemsOfVideo(ownerUlid, ulid)) await tryWrite({ delete: { pk: item.pk, sk: item.sk } });
}
