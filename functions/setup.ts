import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { createParameter } from './aws/parameters.ts';
import { createUser, findUserByEmail } from './table/accounts/user-table.ts';
import { keepBuiltInProxy } from './table/nodes/built-in-proxy.ts';
import { poolNode, storePoolToken } from './table/nodes/pool-node.ts';

const input = z.object({
  admin: z.object({ name: z.string(), email: z.email(), password: z.string().min(8) }).optional(),
  /** a proxy that is not deployed by the service: the built-in one on a single machine */
  proxy: z
    .object({
      name: z.string(),
      hostname: z.string(),
      scheme: z.enum(['http', 'https']),
      internalUrl: z.url().optional(),
    })
    .optional(),
});

/**
 * Creates what a stage needs before its first request and CloudFormation cannot create: the delivery signing key, the
 * workers' token and the first administrator. The operator invokes it after a deployment. It does not change what
 * exists already.
 */
export async function handler(raw: unknown): Promise<{ adminCreated: boolean }> {
  const { admin, proxy } = input.parse(raw ?? {});
  const secret = (bytes: number): string => randomBytes(bytes).toString('base64url');
  await createParameter('signing-keys', JSON.stringify({ current: 'k1', keys: { k1: secret(32) } }));
  const workerToken = await createParameter('worker-token', `${poolNode}.${secret(32)}`);
  await storePoolToken(workerToken.slice(poolNode.length + 1));
  if (proxy) await keepBuiltInProxy(proxy);
  if (!admin || (await findUserByEmail(admin.email))) return { adminCreated: false };
  await createUser({ ...admin, isAdmin: true }, 'itself');
  return { adminCreated: true };
}
