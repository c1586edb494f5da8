import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { createParameter, replayKeyName } from './aws/parameters.ts';
import { hashPassword } from './common/password.ts';
import { addToEdge } from './delivery/edge-signing-keys.ts';
import { readSigningKeys } from './delivery/signing-keys.ts';
import { createToken } from './table/accounts/token-table.ts';
import { addUser, findUserByEmail } from './table/accounts/user-table.ts';
import { poolNode, storePoolToken } from './table/nodes/pool-node.ts';
import { storeWebhookSecretName } from './uploads/store-webhook-secret-name.ts';
import { webhookKeyName } from './webhooks/webhook-key-name.ts';

const input = z.object({
  admin: z
    .object({
      name: z.string(),
      email: z.email(),
      password: z.string().min(8),
      /** An API token of this name is created with the account. */
      tokenName: z.string().optional(),
    })
    .optional(),
});

type Admin = NonNullable<z.infer<typeof input>['admin']>;
type Result = { adminCreated: boolean; adminToken?: string };

/**
 * Creates what a stage needs before its first request and CloudFormation cannot create: the delivery signing key, the
 * keys of webhooks and of replays, the secret of the store's notifications, the workers' token and the first
 * administrator. The operator invokes it after a deployment. It does not change what exists already.
 */
export async function handler(raw: unknown): Promise<Result> {
  const { admin } = input.parse(raw ?? {});
  // Hashing the password takes longer than all else together.
  const [passwordHash] = await Promise.all([
    admin && hashForNewAccount(admin),
    keepSigningKeys(),
    keepWorkerToken(),
    createParameter(webhookKeyName, secret(32)),
    createParameter(storeWebhookSecretName, secret(32)),
    createParameter(replayKeyName, secret(32)),
  ]);
  if (!admin || passwordHash === undefined) return { adminCreated: false };
  // The last step, because a password that the caller generated is lost when the setup fails after it.
  const user = await addUser(
    { name: admin.name, email: admin.email.toLowerCase(), isAdmin: true, passwordHash },
    'itself',
  );
  const adminToken =
    admin.tokenName === undefined ? undefined : await createToken(user.ulid, { name: admin.tokenName });
  return { adminCreated: true, ...(adminToken !== undefined && { adminToken }) };
}

async function hashForNewAccount({ email, password }: Admin): Promise<string | undefined> {
  return (await findUserByEmail(email)) ? undefined : hashPassword(password);
}

/** The rotation records itself which keys it adds, so that it is the only function that changes the parameter. */
async function keepSigningKeys(): Promise<void> {
  await createParameter('signing-keys', JSON.stringify({ current: 'k1', keys: { k1: secret(32) } }));
  await addToEdge(await readSigningKeys({ fresh: true }));
}

async function keepWorkerToken(): Promise<void> {
  const token = await createParameter('worker-token', `${poolNode}.${secret(32)}`);
  await storePoolToken(token.slice(poolNode.length + 1));
}

const secret = (bytes: number): string => randomBytes(bytes).toString('base64url');
