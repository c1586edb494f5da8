import { envNumber } from '../../shared/env.ts';
import { Unauthenticated } from '../../shared/errors.ts';
import type { SyncResponse } from '../../shared/jobs.ts';
import { workerRoutes } from '../../shared/routes/workers.ts';
import { api, route } from '../http.ts';
import { authenticateNode } from '../jobs/caller.ts';
import { leaseNext } from '../jobs/lease.ts';
import { loseEarlierEpochs, loseExpired } from '../jobs/lose.ts';
import { reportDone, reportFailed, reportRunning } from '../jobs/report.ts';

/** The minute tick finds lost workers too; while workers call, one instance in a while looks sooner. */
const reapMilliseconds = 15_000;
let reapAfter = 0;

/** A worker that has nothing to do asks again after this; the single machine, which pays nothing for a call, sets it low. */
const idleMs = (): number => envNumber('IDLE_SYNC_MS', 5_000);

/** During a job the calls only keep the lease, which lives four times as long. */
const busyMs = (): number => Math.min(10_000, envNumber('BUSY_SYNC_MS', 10_000));

const sync = route(workerRoutes.sync, async ({ body, event }): Promise<SyncResponse> => {
  const node = await authenticateNode(event.headers.authorization);
  if (node === undefined) throw new Unauthenticated();
  const caller = { node, worker: body.worker, epoch: body.epoch };
  await reapSometimes();

  if (body.running) {
    const goesOn = await reportRunning(body.running);
    return { ...(!goesOn && { cancel: body.running.lease }), nextMs: busyMs() };
  }
  if (body.done) await reportDone(body.done);
  if (body.failed) await reportFailed(body.failed);
  if (!body.done && !body.failed) await loseEarlierEpochs(caller);
  const reported = body.done?.lease ?? body.failed?.lease;
  const lease = body.leaving ? undefined : await leaseNext(caller);
  return {
    ...(lease && { lease }),
    ...(reported !== undefined && { acknowledged: reported }),
    nextMs: lease ? busyMs() : idleMs(),
  };
});

async function reapSometimes(): Promise<void> {
  if (Date.now() < reapAfter) return;
  reapAfter = Date.now() + reapMilliseconds;
  await loseExpired();
}

export const handler = api([sync]);
