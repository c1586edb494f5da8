import { timestamp } from '../../shared/clock.ts';
import { renewedAt } from '../table/jobs/job-leases.ts';
import { allLeases } from '../table/jobs/lease-lists.ts';
import { listIdleWorkers } from '../table/nodes/worker-presence.ts';
import type { Job } from '../table/records.ts';

export type LiveWorker = { node: string; worker: string; lastCallAt: string; job: Job | undefined };

/**
 * The workers that hold a job or have called lately, in order of node and name. The last call of a busy worker is
 * known from its lease, which is renewed every 30 s.
 */
export async function listLiveWorkers(): Promise<LiveWorker[]> {
  const live = new Map<string, LiveWorker>();
  for (const presence of await listIdleWorkers()) live.set(nameOf(presence), { ...presence, job: undefined });
  for await (const jobs of allLeases()) {
    for (const job of jobs) {
      const { leaseHolder: node, worker } = job;
      // Expired leases stay listed until the next reap.
      if (node === undefined || worker === undefined || (job.leaseExpiresAt ?? '') < timestamp()) continue;
      const name = nameOf({ node, worker });
      const lastCalls = [live.get(name)?.lastCallAt ?? '', renewedAt(job), job.leasedAt ?? ''].toSorted();
      live.set(name, { node, worker, lastCallAt: lastCalls.at(-1)!, job });
    }
  }
  return [...live.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ node, worker }: Pick<LiveWorker, 'node' | 'worker'>): string => `${node} ${worker}`;
