import { GetParameterCommand, ParameterAlreadyExists, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler as accountApi } from '../../functions/api/account.lambda.ts';
import { authenticateNode } from '../../functions/queue/authenticate-node.ts';
import { handler } from '../../functions/setup.lambda.ts';
import { findUserByEmail } from '../../functions/table/accounts/user-table.ts';
import { callHandler } from '../fixtures/call-handler.ts';
import { useEdgeStore } from '../fixtures/use-edge-store.ts';
import { useTable } from '../fixtures/use-table.ts';

useTable();
const edge = useEdgeStore();

const stored = new Map<string, string>();
let parameters: AwsStub<never, never, never>;
beforeEach(() => {
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  const mock = mockClient(SSMClient);
  mock.on(GetParameterCommand).callsFake(({ Name }) => ({ Parameter: { Value: stored.get(Name) } }));
  mock.on(PutParameterCommand).callsFake(({ Name, Value }) => {
    if (stored.has(Name)) throw new ParameterAlreadyExists({ message: 'there', $metadata: {} });
    stored.set(Name, Value);
  });
  parameters = mock as never;
});
afterEach(() => {
  parameters.restore();
  vi.unstubAllEnvs();
});

const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };

test("the setup is idempotent, and the stored hash is that of the pool's token", async () => {
  expect(await authenticateNode(`Bearer pool.${'x'.repeat(43)}`)).toBeUndefined();
  expect(await handler({ admin })).toEqual({ adminCreated: true });
  const { keys } = JSON.parse(stored.get('/video-service/test/signing-keys')!);
  expect(Object.fromEntries(edge.entries)).toEqual({ 'key/k1': keys.k1 });
  const secrets = new Map(stored);
  expect(await handler({ admin })).toEqual({ adminCreated: false });
  expect(stored).toEqual(secrets);
  expect(await findUserByEmail(admin.email)).toMatchObject({ isAdmin: true });

  const token = stored.get('/video-service/test/worker-token')!;
  expect(await authenticateNode(`Bearer ${token}`)).toEqual({ ulid: 'pool', status: 'active' });
  expect(await authenticateNode(`Bearer pool.${'x'.repeat(43)}`)).toBeUndefined();
});

test('secrets are encrypted with the key of the stage', async () => {
  vi.stubEnv('PARAMETERS_KMS_KEY', 'arn:aws:kms:us-east-1:000000000000:key/secrets');
  stored.clear();
  await handler({});
  const inputs = parameters
    .calls()
    .flatMap(({ args: [command] }) => (command instanceof PutParameterCommand ? command.input : []));
  expect(inputs.length).toBeGreaterThan(3);
  expect(new Set(inputs.map(({ KeyId }) => KeyId))).toEqual(new Set([process.env.PARAMETERS_KMS_KEY]));
});

test('a token that is asked for belongs to the new administrator, and is not created for an existing one', async () => {
  const account = { ...admin, email: 'grace@example.com', tokenName: 'npm start' };
  const { adminToken, ...rest } = await handler({ admin: account });
  expect(rest).toEqual({ adminCreated: true });
  expect(await callHandler(accountApi, 'GET /api/me', { token: adminToken! })).toMatchObject({
    status: 200,
    json: { email: account.email, is_admin: true },
  });
  expect(await handler({ admin: account })).toEqual({ adminCreated: false });
});
