import { equalSecrets, sha256 } from '../../shared/secret.ts';
import { findNode, type Node } from '../../shared/table/nodes.ts';
import { findPoolTokenHash } from '../../shared/table/pool-token.ts';
import { poolNode } from './caller.ts';

/** Whose worker calls. Only workers of an active node are given jobs. */
export type CallingNode = { ulid: string; status: Node['status'] };

/** The node whose token this `Bearer <node>.<secret>` is, or undefined. */
export async function authenticateNode(authorization: string | undefined): Promise<CallingNode | undefined> {
  const [, ulid = '', secret = ''] =
    /^Bearer ([A-Za-z0-9]{1,26})\.([A-Za-z0-9_-]{32,128})$/.exec(authorization ?? '') ?? [];
  if (ulid === '') return undefined;
  if (ulid === poolNode) return matches(await findPoolTokenHash(), secret) ? { ulid, status: 'active' } : undefined;
  const node = await findNode(ulid);
  return node?.type === 'worker' && matches(node.tokenHash, secret) ? { ulid, status: node.status } : undefined;
}

const matches = (expected: string | undefined, secret: string): boolean =>
  expected !== undefined && equalSecrets(expected, sha256(secret));
