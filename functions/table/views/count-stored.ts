import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { day } from '../../../shared/clock.ts';
import { tryTransact } from '../items/conditional.ts';
import { getItem, type Item, queryItems, type Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { streamsRecord, videoRecord } from '../records.ts';
import { keyPart } from '../writes/usage-writes.ts';
import { changedDayRecord, storedTotalRecord } from './stored-bytes.ts';

/** What is counted of a video, and for whom. */
const countedRecord = z.object({ ownerUlid: z.string(), externalUserId: z.string().nullable(), bytes: z.number() });
type Counted = z.infer<typeof countedRecord>;

/**
 * Brings the bytes that are counted of a video in line with its records: its source and its encoded streams. Called
 * after each change of them, in steps that are repeated if a process dies, so that nothing is scanned. A repeated call
 * changes nothing.
 */
export async function countStored(videoUlid: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const [items, before] = await Promise.all([
      queryItems(keys.video(videoUlid).pk),
      getItem(countedRecord, keys.storedVideo(videoUlid)),
    ]);
    const after = storedOf(items) ?? (before && { ...before, bytes: 0 });
    if (!after || after.bytes === (before?.bytes ?? 0)) return;
    if (await tryTransact([counted(videoUlid, before, after), ...(await totalWrites(after, before))])) return;
    // Other videos of the user have changed at the same time.
    await sleep(Math.random() * Math.min(1000, 20 * attempt));
  }
}

/** Undefined when the video has no record any more. */
function storedOf(items: readonly Item[]): Counted | undefined {
  const stored = items.find(({ sk }) => sk === 'VIDEO');
  if (!stored) return undefined;
  const video = videoRecord.parse(stored);
  const { ownerUlid, externalUserId, sourceBytes, sourceDeletedAt, replaced } = video;
  // Its files are being deleted.
  if (video.deletedAt !== undefined) return { ownerUlid, externalUserId, bytes: 0 };
  const streams = streamsRecord.safeParse(items.find(({ sk }) => sk === 'STREAMS')).data?.streams ?? {};
  const encoded = Object.values(streams).filter(({ type }) => type !== 'original');
  const bytes =
    (sourceDeletedAt === undefined ? sourceBytes : 0) +
    (replaced?.sourceBytes ?? 0) +
    encoded.reduce((sum, stream) => sum + (stream.bytes ?? 0), 0);
  return { ownerUlid, externalUserId, bytes };
}

function counted(videoUlid: string, before: Counted | undefined, after: Counted): Write {
  const key = keys.storedVideo(videoUlid);
  const when = before ? { equals: { bytes: before.bytes } } : { exists: false };
  return after.bytes === 0 ? { delete: key, when } : { put: { ...key, kind: 'stored-video', ...after }, when };
}

async function totalWrites({ ownerUlid, externalUserId, bytes }: Counted, before: Counted | undefined) {
  const date = day();
  const external = keyPart(externalUserId);
  const [totalKey, dayKey] = [keys.storedTotal(ownerUlid, external), keys.storedDay(ownerUlid, date, external)];
  const [total, row] = await Promise.all([getItem(storedTotalRecord, totalKey), getItem(changedDayRecord, dayKey)]);
  const opening = total?.bytes ?? 0;
  const present = Math.max(0, opening + bytes - (before?.bytes ?? 0));
  const writes: Write[] = [
    {
      put: { ...totalKey, kind: 'stored-total', externalUserId, bytes: present, version: (total?.version ?? 0) + 1 },
      when: total ? { equals: { version: total.version } } : { exists: false },
    },
    {
      put: {
        ...dayKey,
        kind: 'stored-day',
        externalUserId,
        date,
        opening: row?.opening ?? opening,
        largest: Math.max(row?.largest ?? opening, present),
      },
    },
  ];
  return writes;
}
