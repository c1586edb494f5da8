import { now } from '../../shared/clock.ts';
import { equalSecrets, sha256 } from '../common/secret.ts';
import { earlyWorker, earlyWorkerNames, findVideoOfEarlyWorker } from '../table/nodes/early-worker-token.ts';
import { findNode, type Node } from '../table/nodes/node-table.ts';
import { findPoolTokenHash, poolNode } from '../table/nodes/pool-node.ts';

/** The node whose worker calls. Only workers of an active node get jobs. */
export type CallingNode = {
  ulid: string;
  status: Node['status'];
  /** the only workers that may use the token */
  workers?: string[];
  /** the token is for urgent jobs only */
  urgentOnly?: true;
  /** of each container of a registered server */
  memoryMib?: number | undefined;
};

/** The node whose token this `Bearer <node>.<secret>` is, or undefined. */
export async function authenticateNode(authorization: string | undefined): Promise<CallingNode | undefined> {
  const [, ulid = '', secret = ''] =
    /^Bearer ([A-Za-z0-9]{1,26})\.([A-Za-z0-9_-]{32,128})$/.exec(authorization ?? '') ?? [];
  if (ulid === '') return undefined;
  if (ulid === poolNode) return (await isPoolSecret(secret)) ? { ulid, status: 'active' } : undefined;
  if (ulid === earlyWorker) return authenticateEarlyWorker(secret);
  const node = await findNode(ulid);
  return node?.type === 'worker' && matches(node.tokenHash, secret)
    ? { ulid, status: node.status, memoryMib: node.memoryMib }
    : undefined;
}

async function authenticateEarlyWorker(secret: string): Promise<CallingNode | undefined> {
  const videoUlid = await findVideoOfEarlyWorker(secret);
  return videoUlid === undefined
    ? undefined
    : { ulid: poolNode, status: 'active', workers: earlyWorkerNames(videoUlid), urgentOnly: true };
}

const matches = (expected: string | undefined, secret: string): boolean =>
  expected !== undefined && equalSecrets(expected, sha256(secret));

/**
 * Each call of a pool worker has the pool's token. An instance reads the token's hash again after this time, and at
 * once for another token.
 */
const keptMilliseconds = 5_000;
let kept: { hash: string | undefined; atMilliseconds: number } | undefined;

async function isPoolSecret(secret: string): Promise<boolean> {
  const ageMilliseconds = now() - (kept?.atMilliseconds ?? 0);
  const isFresh = ageMilliseconds >= 0 && ageMilliseconds < keptMilliseconds;
  if (isFresh && matches(kept?.hash, secret)) return true;
  kept = { hash: await findPoolTokenHash(), atMilliseconds: now() };
  return matches(kept.hash, secret);
}
