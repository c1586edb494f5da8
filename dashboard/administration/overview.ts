import type { components } from '../../client/api-types.ts';

type Node = Pick<components['schemas']['Node'], 'id' | 'name' | 'status' | 'last_error'>;

/** What is known about the service. A part that is not loaded yet, or failed to load, is undefined. */
export type Seen = {
  nodes?: readonly Node[] | undefined;
  queue?: { jobs: number; oldest_age_seconds: number | null } | undefined;
  workers?: readonly unknown[] | undefined;
};

/** Something that an administrator should look at. */
export type Attention =
  | { kind: 'node-failed'; node: Node }
  /** Jobs are queued, and no worker is there. */
  | { kind: 'no-workers'; jobs: number }
  | { kind: 'long-wait'; jobs: number; seconds: number };

/** Starting a task takes about a minute, so a shorter wait is normal. */
const longWaitSeconds = 300;

export function attentionOf({ nodes = [], queue, workers }: Seen): Attention[] {
  const failed = nodes.filter(({ status }) => status === 'failed');
  const { jobs, oldest_age_seconds: seconds } = queue ?? { jobs: 0, oldest_age_seconds: null };
  const isWaiting = seconds !== null && seconds >= longWaitSeconds;
  return [
    ...failed.map((node) => ({ kind: 'node-failed', node }) as const),
    ...(isWaiting && workers?.length === 0 ? [{ kind: 'no-workers', jobs } as const] : []),
    ...(isWaiting && workers?.length !== 0 ? [{ kind: 'long-wait', jobs, seconds } as const] : []),
  ];
}
