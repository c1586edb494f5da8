import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { nodeStatuses } from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { type Due, nodeDue } from '../items/due-keys.ts';
import { getItem, type Item } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { idSort } from '../items/list-parts.ts';
import { findUlid } from '../videos/find-by-id.ts';
import { nodeEvent } from '../writes/event-writes.ts';
import { capacityRecord } from './node-capacity-table.ts';
import { changingProxies } from './proxy-cache.ts';

/** The operation that runs on a server. A node runs one at a time. */
const workRecord = z.object({
  /** the condition of every write of the invocation that runs it */
  id: z.string(),
  step: z.string(),
  /** counts from 1 how often it was started */
  attempt: z.int(),
  /** when it was queued, then the latest heartbeat */
  aliveAt: z.string(),
  claimed: z.boolean(),
});
export type NodeWork = z.infer<typeof workRecord>;

/**
 * A registered server. It is read with each call of its workers, so it is small: the logs of steps are separate items.
 */
export const nodeRecord = z.object({
  ulid: z.string().length(26),
  id: z.int(),
  name: z.string(),
  type: z.enum(['worker', 'proxy']),
  status: z.enum(nodeStatuses),
  /** canonical: one text for each address */
  ipAddress: z.string(),
  user: z.string(),
  sshKey: z.object({ id: z.int(), ulid: z.string() }),
  /** of a proxy: the name that its next deployment gives it, with the port where it is not the scheme's own */
  hostname: z.string().nullable(),
  /** the name that the proxy's certificate is for, under which it is reached; null before the first one */
  deployedHostname: z.string().nullable().default(null),
  scheme: z.enum(['http', 'https']),
  cdnMode: z.boolean(),
  workers: z.int(),
  lastError: z.string().nullable(),
  /** the latest heartbeat of a worker, or answer of a proxy */
  lastSeenAt: z.string().nullable(),
  hostKey: z.object({ type: z.string(), sha256: z.string() }).nullable(),
  /** names of the steps whose last run went well and is not stale */
  succeeded: z.array(z.string()),
  /** those of them that must run again for another host name */
  outdated: z.array(z.string()).default([]),
  /** every required step has succeeded: a node that failed since comes back by itself when it is seen again */
  verified: z.boolean(),
  activeSince: z.string().nullable(),
  /** health checks in a row that a proxy has not answered */
  misses: z.int(),
  /** open connections of a proxy at its latest health check; absent before it */
  connections: z.int().optional(),
  /** when a draining or deleting node is cleared even if its workers still hold jobs */
  drainUntil: z.string().nullable(),
  work: workRecord.optional(),
  /** SHA-256 of the secret its workers call with */
  tokenHash: z.string().optional(),
  /** seconds of estimated work that one worker does in a second, as measured; absent before the first measurement */
  speed: z.number().optional(),
  /** of each container of a worker node, since its last start */
  memoryMib: z.number().optional(),
  /** what the capacity of all nodes includes of this one, while it is not 0 */
  counted: capacityRecord.optional(),
  /**
   * counts changes of everything but lastSeenAt, speed and counted: a write fails when it was decided on an older
   * revision
   */
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /**
   * set once: requests do not find the node any more. It stays in the list of lease holders until its leases have
   * expired
   */
  deletedAt: z.string().optional(),
});
export type Node = z.infer<typeof nodeRecord>;

/** A node by ULID, unless it is deleted. */
export async function findNode(ulid: string): Promise<Node | undefined> {
  const node = await getItem(nodeRecord, keys.node(ulid));
  return node?.deletedAt === undefined ? node : undefined;
}

/** The node that a path's {id} names. */
export async function findNodeById(idOrUlid: string): Promise<Node | undefined> {
  const ulid = await findUlid('node', idOrUlid);
  return ulid === undefined ? undefined : findNode(ulid);
}

/** Each worker of a node calls every few seconds. lastSeenAt is written this often. */
const touchMilliseconds = 15_000;
/** A node whose workers have not called for longer is silent. */
export const silentMilliseconds = 90_000;

/** Has the next check look at a node, which adds nothing to the capacity of all nodes until then. */
export const checkNow = ({ ulid, counted }: Pick<Node, 'ulid' | 'counted'>): Due => nodeDue(ulid, timestamp(), counted);

/** Has a check look at a node if its workers are silent after the time at which one was seen. */
export const checkWhenSilent = ({ ulid, counted }: Pick<Node, 'ulid' | 'counted'>, seenAtMs: number): Due =>
  nodeDue(ulid, timestamp(seenAtMs + silentMilliseconds), counted);

/**
 * Records that a node was seen, and what it reported. A failed node whose steps have all succeeded becomes active
 * again.
 */
export async function touchNode(ulid: string, atMs: number, reported: { connections?: number } = {}): Promise<void> {
  const node = await findNode(ulid);
  if (!node) return;
  const back = node.status === 'failed' && node.verified;
  // The step `verify` waits for a call.
  const isAwaited = node.status === 'deploying';
  const known = !isAwaited && node.lastSeenAt !== null && node.lastSeenAt > timestamp(atMs - touchMilliseconds);
  if (known && !back && node.misses === 0) return;
  const lastSeenAt = timestamp(atMs);
  const set = { lastSeenAt, misses: 0, ...reported };
  // False when it was changed or deleted after it was read: the next call decides.
  if (!back) {
    const moved = movedCheck(node, atMs);
    const when = moved ? { equals: { revision: node.revision } } : { exists: true };
    await tryWrite({ update: keys.node(ulid), set: { ...set, ...moved }, when });
  } else {
    const recovery = tryTransact([
      {
        update: keys.node(ulid),
        set: {
          ...set,
          ...checkNow(node),
          status: 'active',
          lastError: null,
          activeSince: lastSeenAt,
          updatedAt: timestamp(),
        },
        add: { revision: 1 },
        when: { equals: { revision: node.revision, status: 'failed' } },
      },
      nodeEvent('node.recovered', node),
    ]);
    await changingProxies(recovery);
  }
}

/**
 * Moves the time at which a node counts as silent: an index is written too, so once a minute. Before the first call of
 * its workers is counted, the next check looks at it.
 */
function movedCheck(node: Node, atMs: number): Due | undefined {
  if (node.type !== 'worker' || node.status !== 'active') return undefined;
  if (node.counted === undefined) return checkNow(node);
  const isSameMinute = Math.floor(Date.parse(node.lastSeenAt ?? '') / 60_000) === Math.floor(atMs / 60_000);
  return isSameMinute ? undefined : checkWhenSilent(node, atMs);
}

/** The item of a node with the keys that it is found through. */
export const nodeItem = (node: Node): Item => ({
  ...keys.node(node.ulid),
  ...owned('all', `${node.type}-node`, idSort(node.id)),
  ...checkNow(node),
  kind: 'node',
  ...node,
});
