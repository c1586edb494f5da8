import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { idItem } from '../items/id-items.ts';
import { getItem, takeIds, transact } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type Node, nodeItem } from './node-table.ts';

const builtIn = z.object({ ulid: z.string(), id: z.int(), createdAt: z.string() });

/**
 * Registers the proxy that is part of the service, as on a single machine: active, without being deployed. It has one
 * record, whose address follows the machine's. `hostname` with the port.
 */
export async function keepBuiltInProxy(
  proxy: Pick<Node, 'name' | 'scheme' | 'internalUrl'> & { hostname: string },
): Promise<void> {
  const { ulid, id, createdAt } = (await getItem(builtIn, keys.builtInProxy())) ?? {
    ulid: newUlid(),
    id: await takeIds(keys.counter('node')),
    createdAt: timestamp(),
  };
  const now = timestamp();
  const node: Node = {
    ulid,
    id,
    ...proxy,
    type: 'proxy',
    status: 'active',
    ipAddress: new URL(proxy.internalUrl ?? `${proxy.scheme}://${proxy.hostname}`).hostname,
    user: 'local',
    sshKey: null,
    cdnMode: false,
    workers: 1,
    lastError: null,
    lastSeenAt: now,
    hostKey: null,
    deployedHostname: null,
    succeeded: [],
    outdated: [],
    verified: true,
    activeSince: now,
    misses: 0,
    drainUntil: null,
    revision: 0,
    createdAt,
    updatedAt: now,
  };
  await transact([
    { put: { ...keys.builtInProxy(), kind: 'built-in-proxy', ulid, id, createdAt } },
    { put: idItem('node', id, ulid) },
    { put: nodeItem(node) },
  ]);
}
