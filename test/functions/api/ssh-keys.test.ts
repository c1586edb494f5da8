import { DeleteParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { handler } from '../../../functions/api/ssh-keys.lambda.ts';
import { listActivity } from '../../../functions/table/accounts/activity-table.ts';
import { transact } from '../../../functions/table/items/items.ts';
import { sshKeyUseWrite } from '../../../functions/table/writes/ssh-key-use-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { createKeyPair } from '../../fixtures/records/store-ssh-key.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const parameters = mockClient(SSMClient);
beforeEach(() => {
  parameters.reset();
  Object.assign(process.env, { PARAMETER_PREFIX: '/video-service/test', SSH_KEYS_KMS_KEY: 'arn:aws:kms:key' });
});

const administrator = () => createPerson({ isAdmin: true });
const store = (token: string, name = 'fleet', pair = createKeyPair()) =>
  callHandler(handler, 'POST /api/ssh-keys', { token, body: { name, ...pair } });

test('the public key is stored in the table, the private key encrypted in the parameter store, and never returned', async () => {
  const { user, token } = await administrator();
  const pair = createKeyPair();
  const created = await store(token, ' fleet ', pair);
  expect(created.status).toBe(201);
  expect(created.json.data).toEqual({
    id: expect.any(Number),
    ulid: expect.stringMatching(/^[0-9A-Z]{26}$/),
    name: 'fleet',
    public_key: pair.public_key.trim(),
    fingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
    nodes_count: 0,
    created_at: expect.stringMatching(/000Z$/),
  });
  const { id, ulid } = created.json.data;
  expect(parameters.commandCalls(PutParameterCommand)[0]?.args[0].input).toEqual({
    Name: `/video-service/test/ssh-keys/${ulid}`,
    Value: expect.stringContaining('OPENSSH PRIVATE KEY'),
    Type: 'SecureString',
    Overwrite: true,
    KeyId: 'arn:aws:kms:key',
    Tier: 'Standard',
  });
  for (const name of [id, ulid, ulid.toLowerCase()]) {
    expect((await callHandler(handler, `GET /api/ssh-keys/${name}`, { token })).json).toEqual(created.json);
  }
  const secret = pair.private_key.split('\n')[2]!;
  const list = await callHandler(handler, 'GET /api/ssh-keys', { token });
  const { lines } = await listActivity(user.ulid, { offset: 0, limit: 10 });
  expect(JSON.stringify([created, list, lines])).not.toContain(secret);
  expect(lines[0]).toMatchObject({ event: 'created', logName: 'ssh-key', subject: { type: 'ssh-key', id, ulid } });
});

test('keys are listed by ID, for every administrator', async () => {
  const [one, other] = [await administrator(), await administrator()];
  const first = (await store(one.token, 'first')).json.data;
  const second = (await store(other.token, 'second')).json.data;
  const { json } = await callHandler(handler, 'GET /api/ssh-keys', { token: one.token });
  expect(json.data.slice(-2)).toEqual([first, second]);
});

test('keys of two pairs are 422, and nothing is stored', async () => {
  const { token } = await administrator();
  const pair = { ...createKeyPair(), private_key: createKeyPair().private_key };
  const refused = await store(token, 'fleet', pair);
  expect(refused).toMatchObject({
    status: 422,
    json: { errors: { private_key: ['The private key does not belong to the public key.'] } },
  });
  expect(refused.text).not.toContain(pair.private_key.split('\n')[2]);
  expect(parameters.calls()).toEqual([]);
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ name: { $gt: '' } }, 'name'],
  [{ public_key: '' }, 'public_key'],
  [{ public_key: ['ssh-ed25519'] }, 'public_key'],
  [{ public_key: `ssh-ed25519 ${'A'.repeat(8192)}` }, 'public_key'],
  [{ private_key: '' }, 'private_key'],
  [{ private_key: 42 }, 'private_key'],
  [{ private_key: 'x'.repeat(16_385) }, 'private_key'],
])('%j is 422', async (changes, field) => {
  const { token } = await administrator();
  const answer = await callHandler(handler, 'POST /api/ssh-keys', {
    token,
    body: { name: 'fleet', ...createKeyPair(), ...changes },
  });
  expect(answer).toMatchObject({ status: 422, json: { errors: { [field]: [expect.any(String)] } } });
});

test('fields that the service sets are ignored in the body', async () => {
  const { token } = await administrator();
  const body = {
    name: 'fleet',
    ...createKeyPair(),
    id: 1,
    ulid: 'x',
    fingerprint: 'x',
    nodes_count: 7,
    created_at: 'x',
  };
  const { json } = await callHandler(handler, 'POST /api/ssh-keys', { token, body });
  expect(json.data).toMatchObject({ nodes_count: 0, fingerprint: expect.stringMatching(/^SHA256:/) });
  expect(json.data.ulid).not.toBe('x');
});

test('a key is deleted with its private key, unless a node uses it', async () => {
  const { token } = await administrator();
  const { id, ulid } = (await store(token)).json.data;
  await transact([sshKeyUseWrite(ulid, 1)]);
  expect((await callHandler(handler, `GET /api/ssh-keys/${id}`, { token })).json.data.nodes_count).toBe(1);
  expect(await callHandler(handler, `DELETE /api/ssh-keys/${id}`, { token })).toMatchObject({
    status: 409,
    json: { message: 'The SSH key is used by 1 node.' },
  });
  expect(parameters.commandCalls(DeleteParameterCommand)).toEqual([]);

  await transact([sshKeyUseWrite(ulid, -1)]);
  expect(await callHandler(handler, `DELETE /api/ssh-keys/${id}`, { token })).toMatchObject({
    status: 204,
    text: undefined,
  });
  expect(parameters.commandCalls(DeleteParameterCommand)[0]?.args[0].input).toEqual({
    Name: `/video-service/test/ssh-keys/${ulid}`,
  });
  for (const method of ['GET', 'DELETE']) {
    expect(await callHandler(handler, `${method} /api/ssh-keys/${id}`, { token })).toMatchObject({ status: 404 });
  }
  expect((await callHandler(handler, 'GET /api/ssh-keys', { token })).text).not.toContain(ulid);
});

test('an interrupted deletion is finished by the next one', async () => {
  const { token } = await administrator();
  const { id } = (await store(token)).json.data;
  parameters.on(DeleteParameterCommand).rejectsOnce(Object.assign(new Error('gone'), { $fault: 'server' }));
  expect(await callHandler(handler, `DELETE /api/ssh-keys/${id}`, { token })).toMatchObject({ status: 503 });
  expect(await callHandler(handler, `GET /api/ssh-keys/${id}`, { token })).toMatchObject({ status: 404 });
  parameters.on(DeleteParameterCommand).resolves({});
  expect(await callHandler(handler, `DELETE /api/ssh-keys/${id}`, { token })).toMatchObject({ status: 204 });
  expect(await callHandler(handler, `DELETE /api/ssh-keys/${id}`, { token })).toMatchObject({ status: 404 });
});

test('other users get no information about keys', async () => {
  const [{ token }, stranger] = [await administrator(), await createPerson()];
  const { id } = (await store(token)).json.data;
  for (const path of [`/api/ssh-keys/${id}`, '/api/ssh-keys/999999'] as const) {
    for (const method of ['GET', 'DELETE']) {
      expect(await callHandler(handler, `${method} ${path}`, { token: stranger.token })).toMatchObject({ status: 403 });
      expect(await callHandler(handler, `${method} ${path}`)).toMatchObject({ status: 401 });
    }
  }
  expect(await store(stranger.token)).toMatchObject({ status: 403 });
});
