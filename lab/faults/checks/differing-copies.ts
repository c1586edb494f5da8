import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { Account } from '../../../test/journey/support/account.ts';
import { patiently } from '../service/patiently.ts';
import { type CustomerStorage, sha256 } from '../store/customer-storage.ts';
import { type DeliveryItem, deliveriesIn, storagesIn } from './deliveries.ts';
import type { Stored } from './invariants.ts';

type Listed = { source: string; path: string; replaceable: boolean };

/**
 * Compares every file of each completed delivery with what is in the storage. The list of its files exists for an hour;
 * older deliveries, and files that the service has deleted since, are not compared.
 */
export async function differingCopies(
  account: Account,
  storage: CustomerStorage,
  { items, objectKeys }: Stored,
): Promise<{ violations: string[]; summary: string }> {
  const [copies, openUploads] = [await storage.hashes(), await storage.openUploads()];
  const stored = new Set(objectKeys);
  const prefixes = new Map(storagesIn(items).map(({ ulid, prefix }) => [ulid, prefix]));
  const deliveries = deliveriesIn(items);
  const violations: string[] = [];
  let files = 0;
  const completed = deliveries.filter(({ status }) => status === 'completed');
  for (const delivery of completed) {
    const prefix = prefixes.get(delivery.storageUlid);
    if (prefix === undefined) continue;
    for (const { source, path, replaceable } of await listedFiles(delivery)) {
      const copy = copies.get(`${prefix}${path}`);
      if (copy === undefined) violations.push(`the delivery ${delivery.ulid} is completed without ${path}`);
      if (copy === undefined || !stored.has(source) || (replaceable && isReplaced(delivery, deliveries))) continue;
      files++;
      if (copy !== sha256(await read(source))) violations.push(`${path} of the delivery ${delivery.ulid} differs`);
    }
  }
  if (openUploads > 0) violations.push(`${openUploads} multipart uploads with parts are open in the storage`);
  const failed = deliveries.filter(({ status }) => status === 'failed').length;
  const summary = `${completed.length} deliveries completed, with ${files} files that equal the stored ones, and ${failed} failed`;
  return { violations, summary };

  async function read(key: string): Promise<Uint8Array> {
    const object = { Bucket: account.bucket, Key: key };
    const { Body } = await patiently(() => account.store.send(new GetObjectCommand(object)));
    return Body!.transformToByteArray();
  }

  async function listedFiles({ ulid, videoUlid, listing }: DeliveryItem): Promise<Listed[]> {
    const folder = `plans/${videoUlid}/deliveries/${ulid}/`;
    const pages = objectKeys.filter((key) => key.startsWith(`${folder}${listing}-`));
    const isKept = items.some(({ kind, prefix }) => kind === 'retired' && prefix === folder);
    if (pages.length === 0 && isKept) violations.push(`the delivery ${ulid} has no list of its files`);
    const texts = await Promise.all(pages.map(async (key) => JSON.parse(Buffer.from(await read(key)).toString())));
    return texts.flat() as Listed[];
  }
}

/** Another delivery of the video may have written another file of the same path. */
const isReplaced = ({ ulid, videoUlid, endedAt }: DeliveryItem, all: readonly DeliveryItem[]): boolean =>
  all.some((other) => other.videoUlid === videoUlid && other.ulid !== ulid && (other.endedAt ?? '') > (endedAt ?? ''));
