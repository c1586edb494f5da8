import { now, timestamp } from '../../shared/clock.ts';
import { log } from '../common/log.ts';
import { countLeases } from '../table/jobs/lease-lists.ts';
import { findNode, type Node } from '../table/nodes/node-table.ts';
import { scheduleCleanup } from '../table/nodes/node-work.ts';
import { invokeNodeOperation } from './invoke-operation.ts';

const graceMilliseconds = 15 * 60_000;

/** When a draining node is cleaned up even if its workers still hold jobs. */
export const drainDeadline = (): string => timestamp(now() + graceMilliseconds);

/**
 * Cleans up a node that is draining or being deleted, as soon as its workers hold no jobs or the deadline has passed.
 * Otherwise it does nothing. Idempotent.
 */
export async function cleanUpWhenIdle(node: Node): Promise<void> {
  if (node.work !== undefined || !(await isIdle(node))) return;
  const ready = await scheduleCleanup(node, node.status === 'draining' ? 'drain' : 'remove');
  if (ready) await invokeNodeOperation(ready);
}

/**
 * The same after a sync of one of the node's workers. Errors are only logged, so that the sync succeeds: the scheduled
 * check tries again within a minute.
 */
export async function cleanUpAfterSync(ulid: string): Promise<void> {
  try {
    const node = await findNode(ulid);
    if (node) await cleanUpWhenIdle(node);
  } catch (error) {
    log.error('could not clean up the node', { node: ulid, error: error as Error });
  }
}

async function isIdle({ ulid, type, drainUntil }: Node): Promise<boolean> {
  if (drainUntil === null || drainUntil <= timestamp()) return true;
  return type === 'proxy' || (await countLeases(ulid)) === 0;
}
