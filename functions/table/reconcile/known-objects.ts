import { getItems } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';
import { videoRecord } from '../records.ts';

/**
 * The keys of source objects by the ULIDs of their videos, deleted ones too. A video that has no record is left out.
 */
export async function findSourceKeys(videoUlids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const items = await getItems(videoUlids.map(keys.video));
  return new Map(items.map((item) => [ulidIn(item), videoRecord.shape.sourceKey.parse(item.sourceKey)]));
}

/** Those of the ULIDs that no upload has. */
export async function withoutUpload(ulids: readonly string[]): Promise<string[]> {
  const known = new Set((await getItems(ulids.map(keys.upload))).map(ulidIn));
  return ulids.filter((ulid) => !known.has(ulid));
}
