/**
 * Kinds of records that scheduled runs look at by time, and into how many partitions of the index `due` each kind is
 * divided. A run reads the records whose time has come and no others, so its cost follows what changed. A partition of
 * an index takes about 1,000 writes a second, and a change of the time is two of them.
 */
const shardsOfKind = {
  /** leased jobs of workers of the pool, by expiry */
  'pool-lease': 16,
  /** leased ingests and deliveries of workers of the pool, by expiry */
  'pool-fetch': 4,
  /** leased jobs of workers of nodes, by expiry */
  'node-lease': 16,
  /** workers without a job that may take any, by their last call */
  'idle-pool': 4,
  'idle-node': 4,
  /** workers without a job that take none or urgent ones only */
  'idle-other': 4,
  /** uploads that are not stored or aborted, by the time at which reconcile checks them */
  upload: 8,
  /** what is held of quotas, by the time at which reconcile checks it */
  reservation: 8,
  /** videos that an execution works on, and stream edits, by the time at which reconcile checks them */
  working: 4,
  'stream-edit': 4,
  /** files to delete, by the time from which they may be deleted */
  retired: 8,
  /** videos that expire, by the time at which they are deleted */
  expiring: 8,
  /** sources that templates have deleted, by the time from which they may be deleted */
  source: 8,
  /** deleted videos whose records remain, by the time of their last sweep */
  deleted: 8,
  /** videos that have a slot, by the time at which they got it */
  slot: 4,
  /** nodes whose state has changed or is unclear, by the time at which check-nodes looks at them */
  node: 4,
  /** failed nodes, which are counted */
  'failed-node': 1,
  /** changes of captions that the manifests do not list yet */
  captions: 4,
  /** captions that are being made from speech, by the time at which they are looked at */
  transcription: 4,
  /** secrets of storages that were stored, replaced or deleted, by the time at which reconcile checks them */
  secret: 1,
  /** leased transcriptions of workers of the pool, by expiry */
  'pool-transcription': 4,
} as const;

export type DueKind = keyof typeof shardsOfKind;

/** The keys of the index `due`. */
export type Due = { dueShard: string; dueAt: string };

export const dueFields = ['dueShard', 'dueAt'] as const satisfies readonly (keyof Due)[];

/** A record's position among those of its kind. `name` chooses the partition and must stay the same. */
export const due = (kind: DueKind, name: string, at: string): Due => ({
  dueShard: shardOf(kind, hash(name) % shardsOfKind[kind]),
  dueAt: at,
});

/** What a node adds to the capacity of all nodes: of an index entry of a node, so that no node has to be read. */
type Counted = { workers: number; capacity: number; memoryMib?: number | undefined };

/** The position of a node that is looked at from a time on, and what it does not add to the capacity from then on. */
export const nodeDue = (ulid: string, at: string, counted: Counted = { workers: 0, capacity: 0 }): Due =>
  due(
    'node',
    ulid,
    [at, counted.workers, counted.capacity, ...(counted.memoryMib ? [counted.memoryMib] : [])].join('#'),
  );

/** The end of a range of positions of nodes: all that are looked at by a time. */
export const nodesDueBy = (at: string): string => `${at}$`;

export function countedOfDue({ dueAt }: Record<string, unknown>): Counted {
  const [, workers = 0, capacity = 0, memoryMib] = String(dueAt).split('#').map(Number);
  return { workers, capacity, ...(memoryMib !== undefined && { memoryMib }) };
}

/** All partitions of a kind. */
export const dueShards = (kind: DueKind): string[] =>
  Array.from({ length: shardsOfKind[kind] }, (_, number) => shardOf(kind, number));

const shardOf = (kind: DueKind, number: number): string => `${kind}#${number}`;

/** FNV-1a. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
