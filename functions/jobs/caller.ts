import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { getItem } from '../../shared/table/items.ts';
import { keys } from '../../shared/table/keys.ts';
import { readParameter } from '../parameters.ts';

/** A worker as it calls: `node` is whose token it has, the rest it says of itself. */
export type Caller = { node: string; worker: string; epoch: string };

/** The node that Fargate tasks and the processes of a single machine belong to. */
export const poolNode = 'pool';

const nodeToken = z.object({
  ulid: z.string(),
  type: z.string(),
  status: z.string(),
  tokenHash: z.string().optional(),
});

/** The node whose token this `Bearer <node>.<secret>` is, or undefined. */
export async function authenticateNode(authorization: string | undefined): Promise<string | undefined> {
  const [, node = '', secret = ''] =
    /^Bearer ([A-Za-z0-9]{1,26})\.([A-Za-z0-9_-]{32,128})$/.exec(authorization ?? '') ?? [];
  if (node === '') return undefined;
  const expected = node === poolNode ? await poolHash() : await nodeHash(node);
  return expected !== undefined && timingSafeEqual(Buffer.from(expected, 'hex'), digest(secret)) ? node : undefined;
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

async function poolHash(): Promise<string | undefined> {
  const token = await readParameter('worker-token');
  return token === undefined ? undefined : digest(token.slice(poolNode.length + 1)).toString('hex');
}

async function nodeHash(ulid: string): Promise<string | undefined> {
  const node = await getItem(nodeToken, keys.node(ulid));
  return node?.type === 'worker' ? node.tokenHash : undefined;
}
