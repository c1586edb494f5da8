import { getItems, queryIndex } from '../items/items.ts';
import { type Key, keys, listKey } from '../items/keys.ts';
import { type ListPart, queryListPart } from '../items/list-parts.ts';
import { countRecords } from '../items/totals.ts';
import { type Node, nodeRecord } from './node-table.ts';
import { type ProxyNode, proxyCache } from './proxy-cache.ts';

const proxyList = listKey('all', 'proxy-node');
const workerList = listKey('all', 'worker-node');

/** Nodes in order of their ids, from an eventually consistent index. */
export const listNodePart = async (part: ListPart): Promise<Node[]> =>
  present(await readNodes(await queryListPart([workerList, proxyList], part)));

/** The nodes with these ULIDs, without those that do not exist. */
export const findNodes = async (ulids: readonly string[]): Promise<Node[]> =>
  present(await readNodes(ulids.map((ulid) => keys.node(ulid))));

export const countNodes = (): Promise<number> => countRecords('node');

/** All proxies. Unlike workers, they do not call the service, so that all of them are checked. */
export const listProxies = async (): Promise<Node[]> =>
  present(await readNodes(await queryIndex('byOwner', proxyList)));

/** A node that was deleted after it was listed is left out. */
const present = (nodes: readonly Node[]): Node[] => nodes.filter(({ deletedAt }) => deletedAt === undefined);

async function readNodes(nodeKeys: Key[]): Promise<Node[]> {
  return (await getItems(nodeKeys)).map((item) => nodeRecord.parse(item)).toSorted((a, b) => a.id - b.id);
}

/** A proxy by the name that it was deployed with. Undefined for a node without a name. */
export function reachedProxy({ ulid, scheme, ipAddress, ...node }: Node): ProxyNode | undefined {
  const { connections } = node;
  const hostname = node.deployedHostname ?? node.hostname;
  if (hostname === null) return undefined;
  return { ulid, scheme, ipAddress, hostname, ...(connections !== undefined && { connections }) };
}

/** The proxy nodes that viewers can be sent to now. */
export async function listActiveProxies(): Promise<ProxyNode[]> {
  return (await listProxies()).flatMap((node) => (node.status === 'active' ? (reachedProxy(node) ?? []) : []));
}

/** The same, up to five seconds old. */
export const readRecentProxies = (): Promise<ProxyNode[]> => proxyCache.read(listActiveProxies);
