import type { UrlAudience } from '../aws/presign.ts';

/** A worker as it calls: `node` is whose token it has, the rest it says of itself. */
export type Caller = { node: string; worker: string; epoch: string };

/** The node that Fargate tasks and the processes of a single machine belong to. */
export const poolNode = 'pool';

/** How a node's workers reach the store: tasks run beside it, registered servers may be anywhere. */
export const reachOf = (node: string): UrlAudience => (node === poolNode ? 'internal' : 'public');
