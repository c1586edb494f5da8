import type * as z from 'zod';
import type { queueRoutes } from '../contracts/routes/queue-routes.ts';
import { attemptOf } from '../table/jobs/job-attempts.ts';
import type { Node } from '../table/nodes/node-table.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import type { LiveWorker } from '../workers/live-workers.ts';

type ShownWorker = z.input<typeof queueRoutes.workers.response>['data'][number];

export function serializeWorker({ worker, node, lastCallAt, job }: LiveWorker, found: Node | undefined): ShownWorker {
  const attempt = (job && attemptOf(job, job.lease ?? '')) ?? 1;
  return {
    worker,
    node_type: node === poolNode ? 'pool' : 'node',
    node: found ? { id: found.id, ulid: found.ulid, name: found.name } : null,
    last_call_at: lastCallAt,
    job: job
      ? {
          video: job.videoUlid,
          kind: job.kind,
          plan: job.planNumber,
          group: job.group,
          index: job.index,
          attempt,
          progress: Math.min(99, Math.floor(job.progress * 100)),
          started_at: job.attempts[attempt]?.startedAt ?? null,
        }
      : null,
  };
}
