import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { findUlid } from '../ids/find-by-id.ts';
import { ConditionFailed, getItem, getItems, type Item, queryIndex, write } from '../items/items.ts';
import { keys, listKey, owned } from '../items/keys.ts';
import { nodeStatuses } from '../statuses.ts';
import { poolNode } from './pool-node.ts';

/** What is being done on a server. One at a time: a node that has one takes no other. */
const workRecord = z.object({
  /** every write of who does it is made under this id */
  id: z.string(),
  step: z.string(),
  /** counts from 1 how often it was begun */
  attempt: z.int(),
  /** of its queueing, and then of each sign of life */
  aliveAt: z.string(),
  claimed: z.boolean(),
});
export type NodeWork = z.infer<typeof workRecord>;

/** A registered server. It is read with each call of its workers, so it stays small: what steps have said is in items of their own. */
export const nodeRecord = z.object({
  ulid: z.string().length(26),
  id: z.int(),
  name: z.string(),
  type: z.enum(['worker', 'proxy']),
  status: z.enum(nodeStatuses),
  /** canonical: one text for each address */
  ipAddress: z.string(),
  user: z.string(),
  /** null for the proxy that is part of the service: nobody reaches it over SSH */
  sshKey: z.object({ id: z.int(), ulid: z.string() }).nullable(),
  /** of a proxy: the name that its next deployment gives it, with the port where it is not the scheme's own */
  hostname: z.string().nullable(),
  /** the name that the proxy's certificate is for, under which it is reached; null before the first one, and on the built-in proxy */
  deployedHostname: z.string().nullable().default(null),
  scheme: z.enum(['http', 'https']),
  /** where the service itself reaches the built-in proxy that viewers reach through a reverse proxy */
  internalUrl: z.string().optional(),
  cdnMode: z.boolean(),
  workers: z.int(),
  lastError: z.string().nullable(),
  /** the latest heartbeat of a worker, or answer of a proxy */
  lastSeenAt: z.string().nullable(),
  hostKey: z.object({ type: z.string(), sha256: z.string() }).nullable(),
  /** names of the steps whose last run went well and is not stale */
  succeeded: z.array(z.string()),
  /** those of them that have to run again for another host name */
  outdated: z.array(z.string()).default([]),
  /** every required step has succeeded: a node that failed since comes back by itself when it is seen again */
  verified: z.boolean(),
  activeSince: z.string().nullable(),
  /** health checks in a row that a proxy has not answered */
  misses: z.int(),
  /** when a draining or deleting node is cleared even if its workers still hold jobs */
  drainUntil: z.string().nullable(),
  work: workRecord.optional(),
  /** SHA-256 of the secret its workers call with */
  tokenHash: z.string().optional(),
  /** counts changes of everything but lastSeenAt: what a change is decided on must not have changed meanwhile */
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** set once: the node is gone for everyone, and stays in the list of lease holders until no lease can be its own */
  deletedAt: z.string().optional(),
});
export type Node = z.infer<typeof nodeRecord>;

/** A node by ULID, unless it is gone. */
export async function findNode(ulid: string): Promise<Node | undefined> {
  const node = await getItem(nodeRecord, keys.node(ulid));
  return node?.deletedAt === undefined ? node : undefined;
}

/** The node that a path's {id} names. */
export async function findNodeById(idOrUlid: string): Promise<Node | undefined> {
  const ulid = await findUlid('node', idOrUlid);
  return ulid === undefined ? undefined : findNode(ulid);
}

/** All nodes in order of their ids. */
export const listNodes = async (): Promise<Node[]> =>
  (await allNodes()).filter(({ deletedAt }) => deletedAt === undefined);

/** Nodes that are gone, whose items wait for the last lease to end. */
export const listGoneNodes = async (): Promise<Node[]> =>
  (await allNodes()).filter(({ deletedAt }) => deletedAt !== undefined);

/** All that may hold leases, from an eventually consistent index: the pool and all nodes, deleted ones too until their leases have expired. */
export const listLeaseHolders = async (): Promise<string[]> => [
  poolNode,
  ...(await queryIndex('byOwner', listKey('all', 'node'))).map(({ ownerSort }) => String(ownerSort)),
];

async function allNodes(): Promise<Node[]> {
  const found = await getItems(await queryIndex('byOwner', listKey('all', 'node')));
  return found.map((item) => nodeRecord.parse(item)).toSorted((a, b) => a.id - b.id);
}

/** What it takes to send viewers to a proxy, and to ask it oneself. */
export type ProxyNode = Pick<Node, 'ulid' | 'scheme' | 'ipAddress' | 'internalUrl'> & { hostname: string };

/** A proxy as it is reached: by the name that it was deployed with. Undefined for a node without a name. */
export function reachedProxy({ ulid, scheme, ipAddress, internalUrl, ...node }: Node): ProxyNode | undefined {
  const hostname = node.deployedHostname ?? node.hostname;
  return hostname === null ? undefined : { ulid, scheme, ipAddress, hostname, ...(internalUrl && { internalUrl }) };
}

/** The proxy nodes that viewers can be sent to now. */
export const listActiveProxies = async (): Promise<ProxyNode[]> =>
  (await listNodes()).flatMap((node) =>
    node.type === 'proxy' && node.status === 'active' ? (reachedProxy(node) ?? []) : [],
  );

/** Heartbeats come every few seconds from each worker of a node; this much of their news is kept. */
const touchMilliseconds = 15_000;

/** Notes that a node was heard of. One that had failed, though all its steps went well, serves again. */
export async function touchNode(ulid: string, atMs: number): Promise<void> {
  const node = await findNode(ulid);
  if (!node) return;
  const back = node.status === 'failed' && node.verified;
  const known = node.lastSeenAt !== null && node.lastSeenAt > timestamp(atMs - touchMilliseconds);
  if (known && !back && node.misses === 0) return;
  const lastSeenAt = timestamp(atMs);
  const set = { lastSeenAt, misses: 0 };
  try {
    await write(
      back
        ? {
            update: keys.node(ulid),
            set: { ...set, status: 'active', lastError: null, activeSince: lastSeenAt, updatedAt: timestamp() },
            add: { revision: 1 },
            when: { equals: { revision: node.revision, status: 'failed' } },
          }
        : { update: keys.node(ulid), set, when: { exists: true } },
    );
  } catch (error) {
    // changed or removed meanwhile: the next call tells
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** The item of a node with the keys that it is found through. */
export const nodeItem = (node: Node): Item => ({
  ...keys.node(node.ulid),
  ...owned('all', 'node', node.ulid),
  kind: 'node',
  ...node,
});
