import * as z from 'zod';
import { parseUlid } from '../../common/ids.ts';
import { getItem, type Item } from './items.ts';
import { type IdKind, type Key, keys } from './keys.ts';

const idRecord = z.object({ ulid: z.string() });
const partRecord = z.object({ videoUlid: z.string() });

/** The item that leads from a record's integer id to its ULID; put in the transaction that makes the record. */
export const idItem = (kind: IdKind, id: number, ulid: string): Item => ({ ...keys.id(kind, id), kind: 'id', ulid });

/** The item that leads from the id or ULID of a stream or output to the video it belongs to. */
export const partIdItem = (
  kind: 'stream' | 'output',
  name: number | string,
  ulid: string,
  videoUlid: string,
): Item => ({
  ...keys.id(kind, name),
  kind: 'id',
  ulid,
  videoUlid,
});

type Parts = { streams?: readonly { id: number; ulid: string }[]; outputs?: readonly { ulid: string }[] };

/** The keys of all those items of some streams and outputs: they go with them. */
export const partIdKeys = ({ streams = [], outputs = [] }: Parts): Key[] => [
  ...streams.flatMap(({ id, ulid }) => [keys.id('stream', id), keys.id('stream', ulid)]),
  ...outputs.map(({ ulid }) => keys.id('output', ulid)),
];

/** The integer that a path's {id} means, or undefined. */
export const parseIntegerId = (text: string): number | undefined =>
  /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : undefined;

/** The ULID of the record that a path's {id} names, as an integer or as a ULID; undefined when it is neither or no such integer was given out. */
export async function ulidOf(kind: IdKind, idOrUlid: string): Promise<string | undefined> {
  const id = parseIntegerId(idOrUlid);
  if (id === undefined) return parseUlid(idOrUlid);
  return (await getItem(idRecord, keys.id(kind, id)))?.ulid;
}

/** The video that a stream's or output's id belongs to. */
export async function videoOf(kind: 'stream' | 'output', id: string): Promise<string | undefined> {
  return (await getItem(partRecord, keys.id(kind, id)))?.videoUlid;
}
