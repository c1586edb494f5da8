import * as z from 'zod';
import { deliveryPrefix } from '../../shared/object-keys.ts';
import { readObject, writeObject } from '../aws/object-store.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import { mapBounded } from '../common/concurrency.ts';
import { sha256 } from '../common/secret.ts';
import type { StorageDelivery } from '../table/records.ts';

/**
 * A file to copy: the key in the service's own store, and the path in the storage below its prefix. `stage`: it is
 * copied after all files of earlier stages. `replaceable`: another delivery may write another file of this path.
 */
export type DeliveredFile = { source: string; path: string; bytes: number; stage: number; replaceable: boolean };

type Delivery = Pick<StorageDelivery, 'ulid' | 'videoUlid'>;
type Listed = Delivery & Pick<StorageDelivery, 'listing' | 'fileCount'>;

/** A video may have more files than one object or one response should name. */
const filesPerPage = 500;
const parallelWrites = 8;

const pageSchema = z.array(
  z.object({ source: z.string(), path: z.string(), bytes: z.int(), stage: z.int(), replaceable: z.boolean() }),
);

const pageKey = ({ ulid, videoUlid }: Delivery, listing: string, page: number): string =>
  `${deliveryPrefix(videoUlid, ulid)}${listing}-${page}.json`;

/**
 * Writes a list of files, and returns the name that the record of the delivery gets. It is made from the files: calls
 * that list others, since captions changed between them, write other pages.
 */
export async function writeFilePages(delivery: Delivery, files: readonly DeliveredFile[]): Promise<string> {
  const listing = sha256(JSON.stringify(files));
  const pages = Array.from({ length: Math.ceil(files.length / filesPerPage) }, (_, page) => page);
  const write = (page: number): Promise<void> => {
    const listed = files.slice(page * filesPerPage, (page + 1) * filesPerPage);
    return writeObject(pageKey(delivery, listing, page), JSON.stringify(listed), 'application/json');
  };
  await mapBounded(pages, write, parallelWrites);
  return listing;
}

/** Pages that this instance has read. They never change. */
const readPages = createBoundedCache<DeliveredFile[]>(8);

async function readPage(delivery: Listed, page: number): Promise<DeliveredFile[]> {
  const key = pageKey(delivery, delivery.listing ?? '', page);
  const known = readPages.get(key);
  if (known) return known;
  const files = pageSchema.parse(JSON.parse(new TextDecoder().decode(await readObject(key))));
  readPages.set(key, files);
  return files;
}

/** Up to `count` files from a position on, with their positions. */
export async function filesFrom(
  delivery: Listed,
  position: number,
  count: number,
): Promise<(DeliveredFile & { position: number })[]> {
  const end = Math.min(position + count, delivery.fileCount ?? 0);
  const found: (DeliveredFile & { position: number })[] = [];
  for (let next = position; next < end; ) {
    const page = Math.floor(next / filesPerPage);
    const listed = await readPage(delivery, page);
    const pageEnd = Math.min(end, (page + 1) * filesPerPage);
    for (; next < pageEnd; next++) found.push({ ...listed[next - page * filesPerPage]!, position: next });
  }
  return found;
}
