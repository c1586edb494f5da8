import * as z from 'zod';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { parseUlid } from '../../common/ids.ts';
import { getItem } from '../items/items.ts';
import { type IdKind, keys } from '../items/keys.ts';

const idRecord = z.object({ ulid: z.string() });
const partRecord = z.object({ videoUlid: z.string() });

/** An integer is never given to another record, also when the record is deleted. */
const ulids = createBoundedCache<string>(1000);

/** The integer that a path's {id} is, or undefined. */
export const parseIntegerId = (text: string): number | undefined =>
  /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : undefined;

/**
 * The ULID of the record that a path's {id} names by integer or ULID. Undefined when it is neither, or no record has
 * the integer.
 */
export async function findUlid(kind: IdKind, idOrUlid: string): Promise<string | undefined> {
  const id = parseIntegerId(idOrUlid);
  if (id === undefined) return parseUlid(idOrUlid);
  const known = ulids.get(`${kind} ${id}`);
  if (known !== undefined) return known;
  const found = (await getItem(idRecord, keys.id(kind, id)))?.ulid;
  if (found !== undefined) ulids.set(`${kind} ${id}`, found);
  return found;
}

/** The video that a stream or output belongs to, by the integer or ULID of the part; undefined for other text. */
export async function findVideoOfPart(kind: 'stream' | 'output', idOrUlid: string): Promise<string | undefined> {
  const id = parseIntegerId(idOrUlid) ?? parseUlid(idOrUlid);
  return id === undefined ? undefined : (await getItem(partRecord, keys.id(kind, id)))?.videoUlid;
}
