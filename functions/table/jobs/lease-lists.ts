import { timestamp } from '../../../shared/clock.ts';
import { countDue, duePages } from '../items/due-pages.ts';
import { countIndex, getItems, queryIndex } from '../items/items.ts';
import { leaseList, stragglerLists } from '../items/keys.ts';
import { poolNode } from '../nodes/pool-node.ts';
import { type Job, parseJob } from '../records.ts';

/** The jobs that a worker has leased. */
export const leasedJobs = async (holder: string, worker: string): Promise<Job[]> =>
  (await listedLeases(holder, worker)).filter(({ status }) => status === 'LEASED');

/** The same with jobs whose expired lease is still listed. */
export async function listedLeases(holder: string, worker: string): Promise<Job[]> {
  const found = await queryIndex('leases', leaseList(holder, worker, poolNode), { from: worker, upTo: worker });
  const jobs = (await getItems(found)).map(parseJob);
  // The index lags behind the records: a job may have been queued again, or leased to another worker.
  return jobs.filter((job) => isListed(job) && job.leaseHolder === holder && job.worker === worker);
}

const isListed = ({ status, leaseHolder }: Job): boolean =>
  status === 'LEASED' || (status === 'FAILED' && leaseHolder !== undefined);

const leaseKinds = ['pool-lease', 'pool-fetch', 'pool-transcription', 'node-lease'] as const;

/** Jobs whose lease was not renewed in time, those with the oldest lease first, page by page. */
export async function* expiredLeases(): AsyncGenerator<Job[]> {
  for await (const page of duePages(leaseKinds)) {
    const jobs = (await getItems(page)).map(parseJob);
    // The index lags behind the records: a lease may have been renewed.
    yield jobs.filter((job) => isListed(job) && (job.leaseExpiresAt ?? '') <= timestamp());
  }
}

/** All leased jobs, page by page. */
export async function* allLeases(): AsyncGenerator<Job[]> {
  for await (const page of duePages(leaseKinds, endOfTime)) {
    yield (await getItems(page)).map(parseJob).filter(({ status }) => status === 'LEASED');
  }
}

const endOfTime = '9999';

/** How many jobs the workers of a node have leased. */
export const countLeases = (node: string): Promise<number> => countIndex('leases', node);

type PoolLeases = { jobs: number; ofFetchers: number; transcriptions: number };

/** How many jobs of each line the workers of the pool have leased. The limit of tasks bounds them. */
export const countPoolLeases = async (): Promise<PoolLeases> => {
  const kinds = ['pool-lease', 'pool-fetch', 'pool-transcription'] as const;
  const [jobs, ofFetchers, transcriptions] = await Promise.all(kinds.map(countDue));
  return { jobs: jobs!, ofFetchers: ofFetchers!, transcriptions: transcriptions! };
};

/** Up to `limit` leased jobs that take far longer than their estimate, those that were leased first in front. */
export async function possibleStragglers(limit: number): Promise<Job[]> {
  const found = (await Promise.all(stragglerLists().map((list) => queryIndex('byOwner', list, { limit })))).flat();
  const first = found.toSorted((a, b) => (String(a.ownerSort) < String(b.ownerSort) ? -1 : 1)).slice(0, limit);
  return (await getItems(first)).map(parseJob).filter(({ status }) => status === 'LEASED');
}
