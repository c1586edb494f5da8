import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import type { FileResponse, SyncResponse } from '../../shared/protocol/jobs.ts';
import { workerRoutes } from '../contracts/routes/worker-routes.ts';
import { createApiHandler, machineRoute } from '../http/endpoint.ts';
import { cleanUpAfterSync } from '../nodes/node-cleanup.ts';
import { authenticateNode } from '../queue/authenticate-node.ts';
import type { Caller } from '../queue/caller.ts';
import { expireEarlierEpochs, expireLeases } from '../queue/expire-leases.ts';
import { handleFileRequest } from '../queue/lease-files.ts';
import { heldLease, leaseNext } from '../queue/lease-next.ts';
import { reportDone, reportRunning } from '../queue/report.ts';
import { reportFailed } from '../queue/report-failure.ts';
import { countUnusedCpu } from '../queue/unused-cpu.ts';
import { touchNode } from '../table/nodes/node-table.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import { forgetIdleWorker, recordIdleWorker } from '../table/nodes/worker-presence.ts';
import { claimPeriod } from '../table/quotas/period-table.ts';

/** The scheduled reaper also expires leases, once a minute. While workers call, one of the calls does it more often. */
const reapMilliseconds = 15_000;
/** The worker waits for the response of its call. The scheduled function `reap` expires what a call leaves. */
const maxReaped = 50;
const maxReapMilliseconds = 5_000;

/** Delay before an idle worker syncs again. The worker doubles it with each empty response, up to 20 s. */
const idleMs = (): number => readEnvironment('IDLE_SYNC_MS');

/** A second of an early worker costs as much as a hundred calls, and a viewer waits for its next job. */
const earlyIdleMs = 250;

/** Delay between the syncs of a busy worker, which renew its lease. A lease lives four times as long. */
const busyMs = (): number => Math.min(10_000, readEnvironment('BUSY_SYNC_MS'));

/** Nodes in these statuses get no new jobs. Running jobs may finish. */
const leavingStatuses: readonly string[] = ['draining', 'deleting'];

const sync = machineRoute(
  workerRoutes.sync,
  authenticateNode,
  async ({ body, caller: node }): Promise<SyncResponse> => {
    const { workers = [body.worker], urgentOnly = false } = node;
    const worker = workers.find((name) => name === body.worker) ?? workers[0]!;
    const self = { node: node.ulid, worker, epoch: body.epoch };
    const [fetches, transcribes] = [body.fetches === true, body.transcribes === true];
    const { encoders } = body;
    const caller = { ...self, urgentOnly, memoryMib: node.memoryMib, encoders, fetches, transcribes };
    const isBeside = fetches || transcribes;
    if (node.ulid !== poolNode) await touchNode(node.ulid, now());
    if (body.hello) await expireEarlierEpochs(caller);
    await reapSometimes();

    const isLeaving = leavingStatuses.includes(node.status);
    const drain = isLeaving && { drain: true };
    if (body.running) {
      const goesOn = await reportRunning(caller, body.running);
      return { ...(!goesOn && { cancel: body.running.lease }), ...drain, nextMs: busyMs() };
    }
    const done = body.done && (await reportDone(caller, body.done));
    if (body.failed) {
      await reportFailed(body.failed);
      await countUnusedCpu(body.failed.lease, body.failed.cpuSeconds);
    }
    if (isLeaving) await cleanUpAfterSync(node.ulid);
    const reported = body.done?.lease ?? body.failed?.lease;
    const takesMore = !body.leaving && node.status === 'active' && !(urgentOnly && isBeside);
    const held = takesMore && body.again ? await heldLease(caller) : undefined;
    const lease = held ?? (takesMore ? await leaseNext(caller, done) : undefined);
    if (!isBeside) await recordPresence(caller, { isLeaving: body.leaving, hasLease: lease !== undefined, takesMore });
    return {
      ...(lease && { lease }),
      ...(reported !== undefined && { acknowledged: reported }),
      ...drain,
      nextMs: lease ? busyMs() : urgentOnly ? Math.min(earlyIdleMs, idleMs()) : idleMs(),
    };
  },
);

/** Only of workers that encode: one that is fetching is known from its lease, and says nothing about another. */
async function recordPresence(
  { node, worker }: Caller,
  { isLeaving = false, hasLease, takesMore }: { isLeaving: boolean | undefined; hasLease: boolean; takesMore: boolean },
): Promise<void> {
  if (isLeaving) await forgetIdleWorker(node, worker);
  else if (!hasLease) await recordIdleWorker(node, worker, takesMore);
}

const files = machineRoute(
  workerRoutes.files,
  authenticateNode,
  ({ body, caller }): Promise<FileResponse> => handleFileRequest(body, { node: caller.ulid }),
);

async function reapSometimes(): Promise<void> {
  if (!(await claimPeriod('expire-leases', reapMilliseconds))) return;
  await expireLeases({ untilMilliseconds: now() + maxReapMilliseconds, maxItems: maxReaped });
}

export const handler = createApiHandler([sync, files]);
