import type { Operation } from './operation.ts';

const event = {} as never;

/** Every scheduled run, when nothing has changed since the last one. */
export async function scheduledRuns(): Promise<Operation[]> {
  const runs = {
    reap: await import('../../../functions/schedule/reap.lambda.ts'),
    reconcile: { handler: reconcile },
    'sweep of deletions': { handler: sweepWaiting },
    sweep: await import('../../../functions/schedule/sweep.lambda.ts'),
    'check-nodes': await import('../../../functions/schedule/check-nodes.lambda.ts'),
    'webhook dispatch': await import('../../../functions/webhooks/dispatch.lambda.ts'),
  };
  return Object.entries(runs).map(([name, { handler }]) => ({
    name,
    run: () => (handler as (raw: never) => Promise<unknown>)(event),
  }));
}

async function reconcile(): Promise<void> {
  const { handler } = await import('../../../functions/schedule/reconcile.lambda.ts');
  await handler({ scheduled: true });
}

async function sweepWaiting(): Promise<void> {
  const { handler } = await import('../../../functions/schedule/sweep.lambda.ts');
  await handler({ waiting: true });
}
