import { mapBounded } from '../../../functions/common/concurrency.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { probeResult, queueProbe } from '../../../test/fixtures/records/queue-probe.ts';
import { type Actors, workers } from '../table/actors.ts';
import { answered } from './api-calls.ts';
import type { Operation } from './operation.ts';

const idleCalls = 20;
/** Enough for what changes with a high rate to be the lesser part. */
const resultCount = 400;

/** Calls of workers. */
export function workerCalls({ nodes, pool }: Actors): Operation[] {
  const sync = (token: string, worker: string, more: object = {}) =>
    answered('POST /api/workers/sync', { token, body: { worker, epoch: 'e1', version: '1', ...more } });
  const idle = (name: string, token: string): Operation => ({
    name: `idle call of a worker ${name}`,
    calls: idleCalls,
    run: async () => {
      for (let call = 0; call < idleCalls; call++) await sync(token, 'w1');
    },
  });

  /** Workers that take and report jobs. The users of a stage share its results. */
  function results(count: number, users: number): Operation {
    return {
      name: `results of ${users === 1 ? 'one user' : `${users} users`}`,
      calls: count,
      results: count,
      async prepare() {
        const owners = await Promise.all(Array.from({ length: users }, () => createPerson()));
        const jobs = Array.from({ length: count }, (_, n) => owners[n % users]!.user);
        // Records of one user are stored one after the other: their counts are one item.
        await mapBounded(jobs, (user) => queueProbe(user), Math.min(users, workers));
      },
      async run() {
        let left = count;
        const work = async ({ token }: { token: string }): Promise<void> => {
          let done: object | undefined;
          for (;;) {
            const { json } = await sync(token, 'w1', done && { done });
            if (!json.lease) return;
            left -= 1;
            done = { lease: json.lease.id, result: probeResult };
          }
        };
        await Promise.all(nodes.map(work));
        if (left > 0) throw new Error(`${left} jobs were not leased`);
      },
    };
  }

  /** As many jobs as there are results are queued at the same time. */
  const queueing: Operation = {
    name: 'queued jobs of one user',
    calls: resultCount,
    results: resultCount,
    async run() {
      const ownerUlid = newUlid();
      const videos = Array.from({ length: workers }, newUlid);
      const queue = (index: number) =>
        queueJob(
          { videoUlid: videos[index % workers]!, planNumber: 1, kind: 'encode-video', group: 0, index },
          { ownerUlid, taskToken: 't', estimateSeconds: 40, workUnits: 1, virtualTimeSeconds: 40 * index },
        );
      await mapBounded([...Array(resultCount).keys()], queue, workers);
    },
  };
  return [
    idle('of a node', nodes[0]!.token),
    idle('of the pool', pool.token),
    results(resultCount, 1),
    results(resultCount, 50),
    queueing,
  ];
}
