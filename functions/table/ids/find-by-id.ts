import * as z from 'zod';
import { parseUlid } from '../../common/ids.ts';
import { getItem } from '../items/items.ts';
import { type IdKind, keys } from '../items/keys.ts';

const idRecord = z.object({ ulid: z.string() });
const partRecord = z.object({ videoUlid: z.string() });

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
  return (await getItem(idRecord, keys.id(kind, id)))?.ulid;
}

/** The video that a stream or output belongs to, by the id of the part. */
export async function findVideoOfPart(kind: 'stream' | 'output', id: string): Promise<string | undefined> {
  return (await getItem(partRecord, keys.id(kind, id)))?.videoUlid;
}
