import { setTimeout as sleep } from 'node:timers/promises';
import { now, timestamp } from '../../../shared/clock.ts';
import { findNode } from '../../table/nodes/node-table.ts';

/** Idle workers call every 20 s. */
const longestMilliseconds = 60_000;

/** Whether a worker of the node calls the service within a minute. */
export async function waitForCall(nodeUlid: string): Promise<boolean> {
  const [since, until] = [timestamp(), now() + longestMilliseconds];
  for (;;) {
    const { lastSeenAt = null } = (await findNode(nodeUlid)) ?? {};
    if (lastSeenAt !== null && lastSeenAt >= since) return true;
    if (now() > until) return false;
    await sleep(1_000);
  }
}
