import { now } from '../../shared/clock.ts';
import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import { queueRoutes } from '../contracts/routes/queue-routes.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { serializeWorker } from '../serializers/serialize-worker.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { findNodes } from '../table/nodes/node-lists.ts';
import { listLiveWorkers } from '../workers/live-workers.ts';
import { readQueueDepth } from '../workers/queue-depth.ts';

/**
 * What administrators see of workers and queue. Apart from the function that workers call, whose role may read and
 * write files.
 */
const workers = route(queueRoutes.workers, async () => {
  const live = await listLiveWorkers();
  const nodes = await findNodes([...new Set(live.map(({ node }) => node))]);
  const nodeOf = new Map(nodes.map((node) => [node.ulid, node]));
  return { data: live.map((worker) => serializeWorker(worker, nodeOf.get(worker.node))) };
});

const queue = route(queueRoutes.queue, async () => {
  const depth = await readQueueDepth();
  const known = await Promise.all(depth.users.map(({ userUlid }) => findUser(userUlid)));
  const users = depth.users.map(({ userUlid: _, nextQueuedAt, ...counts }, position) => {
    const user = known[position];
    return {
      user: user ? { id: user.id, ulid: user.ulid, name: user.name } : null,
      ...counts,
      next_queued_at: nextQueuedAt,
      next_age_seconds: Math.max(0, Math.floor((now() - Date.parse(nextQueuedAt)) / 1000)),
    };
  });
  const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
  const kinds = jobKinds.map((kind) => ({
    kind,
    jobs: sumOf(users.flatMap((user) => user.kinds.filter((one) => one.kind === kind).map(({ jobs }) => jobs))),
  }));
  return {
    data: {
      jobs: sumOf(users.map(({ jobs }) => jobs)),
      capped: depth.capped || users.some(({ capped }) => capped),
      oldest_age_seconds: users.length === 0 ? null : Math.max(...users.map((user) => user.next_age_seconds)),
      kinds: kinds.filter(({ jobs }) => jobs > 0),
      users,
    },
  };
});

export const handler = createApiHandler([workers, queue]);
