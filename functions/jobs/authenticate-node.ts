import { createHash, timingSafeEqual } from 'node:crypto';
import { findNode, type Node } from '../../shared/table/nodes.ts';
import { readParameter } from '../parameters.ts';
import { poolNode } from './caller.ts';

/** Whose worker calls. Only workers of an active node are given jobs. */
export type CallingNode = { ulid: string; status: Node['status'] };

/** The node whose token this `Bearer <node>.<secret>` is, or undefined. */
export async function authenticateNode(authorization: string | undefined): Promise<CallingNode | undefined> {
  const [, ulid = '', secret = ''] =
    /^Bearer ([A-Za-z0-9]{1,26})\.([A-Za-z0-9_-]{32,128})$/.exec(authorization ?? '') ?? [];
  if (ulid === '') return undefined;
  if (ulid === poolNode) return matches(await poolHash(), secret) ? { ulid, status: 'active' } : undefined;
  const node = await findNode(ulid);
  return node?.type === 'worker' && matches(node.tokenHash, secret) ? { ulid, status: node.status } : undefined;
}

const matches = (expected: string | undefined, secret: string): boolean =>
  expected !== undefined && timingSafeEqual(Buffer.from(expected, 'hex'), digest(secret));

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

async function poolHash(): Promise<string | undefined> {
  const token = await readParameter('worker-token');
  return token === undefined ? undefined : digest(token.slice(poolNode.length + 1)).toString('hex');
}
