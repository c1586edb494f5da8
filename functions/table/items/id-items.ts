import type { Item } from './items.ts';
import { type IdKind, type Key, keys } from './keys.ts';

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

/** The keys of all those items of some streams: they go with them. */
export const streamIdKeys = (streams: NonNullable<Parts['streams']>): Key[] =>
  streams.flatMap(({ id, ulid }) => [keys.id('stream', id), keys.id('stream', ulid)]);

/** The keys of all those items of some streams and outputs. */
export const partIdKeys = ({ streams = [], outputs = [] }: Parts): Key[] => [
  ...streamIdKeys(streams),
  ...outputs.map(({ ulid }) => keys.id('output', ulid)),
];
