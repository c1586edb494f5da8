import { now, timestamp } from '../../shared/clock.ts';
import { log } from '../common/log.ts';
import { findNode, type Node } from '../table/nodes/node-table.ts';
import { scheduleCleanup } from '../table/nodes/node-work.ts';
import { countLeases } from '../table/queue/job-table.ts';
import { invokeNodeOperation } from './invoke-operation.ts';

const graceMilliseconds = 15 * 60_000;

/** When a node that takes no more jobs is cleared even if its workers hold some still. */
export const drainDeadline = (): string => timestamp(now() + graceMilliseconds);

/**
 * Clears a node that drains or is deleted, once its workers hold no job any more or their time is up. Nothing happens before, and nothing twice: it
 * may be called as often as one likes.
 */
export async function cleanUpWhenIdle(node: Node): Promise<void> {
  if (node.work !== undefined || !(await isIdle(node))) return;
  const ready = await scheduleCleanup(node, node.status === 'draining' ? 'drain' : 'remove');
  if (ready) await invokeNodeOperation(ready);
}

/** The same at the call of one of its workers, which has nothing to do with what may go wrong here: the minute tick does it then. */
export async function cleanUpAfterSync(ulid: string): Promise<void> {
  try {
    const node = await findNode(ulid);
    if (node) await cleanUpWhenIdle(node);
  } catch (error) {
    log.error('a node could not be cleared', { node: ulid, error: error as Error });
  }
}

async function isIdle({ ulid, type, drainUntil }: Node): Promise<boolean> {
  if (drainUntil === null || drainUntil <= timestamp()) return true;
  return type === 'proxy' || (await countLeases(ulid)) === 0;
}
