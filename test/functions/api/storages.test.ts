import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { handler } from '../../../functions/api/storages.lambda.ts';
import { handler as users } from '../../../functions/api/users.lambda.ts';
import { queryItems, transact } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findStorage, maxStoragesPerUser } from '../../../functions/table/storages/storage-table.ts';
import {
  storageUseBegins,
  storageUseEnds,
  templateStorageWrites,
} from '../../../functions/table/writes/storage-use-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

type Person = Awaited<ReturnType<typeof createPerson>>;

const parameters = mockClient(SSMClient);
/** What Parameter Store has, by name. */
const stored = new Map<string, string>();

beforeEach(() => {
  parameters.reset();
  stored.clear();
  parameters.on(PutParameterCommand).callsFake(({ Name, Value }) => {
    stored.set(Name, Value);
    return {};
  });
  parameters.on(DeleteParameterCommand).callsFake(({ Name }) => {
    if (!stored.delete(Name)) throw new ParameterNotFound({ message: 'none', $metadata: {} });
    return {};
  });
  Object.assign(process.env, {
    PARAMETER_PREFIX: '/video-service/test',
    STORAGES_KMS_KEY: 'arn:aws:kms:key',
    ACCOUNT_ID: '999999999999',
    AWS_ENDPOINT_URL_S3: '',
  });
});

const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const fields = {
  name: 'Archive',
  endpoint: 'https://s3.example.com',
  region: 'auto',
  bucket: 'media-archive',
  prefix: 'videos',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: secret,
};
const roleFields = {
  name: 'Archive',
  region: 'eu-central-1',
  bucket: 'media-archive',
  role_arn: 'arn:aws:iam::111122223333:role/media',
};

const send = ({ token }: Person, body: unknown = fields, headers: Record<string, string> = {}) =>
  callHandler(handler, 'POST /api/storages', { token, body, headers });
const add = async (person: Person, body?: unknown): Promise<string> => (await send(person, body)).json.data.ulid;
const change = ({ token }: Person, ulid: string, body: unknown) =>
  callHandler(handler, `PUT /api/storages/${ulid}`, { token, body });
const remove = ({ token }: Person, ulid: string) => callHandler(handler, `DELETE /api/storages/${ulid}`, { token });
const read = ({ token }: Person, ulid: string) => callHandler(handler, `GET /api/storages/${ulid}`, { token });
const named = (ulid: string, version: number): string => `/video-service/test/storages/${ulid}/${version}`;

test('a storage is shown without its secret, which is in the parameter store alone', async () => {
  const person = await createPerson();
  const { status, json, text } = await send(person);
  expect(status, text).toBe(201);
  const { ulid } = json.data;
  expect(json.data).toEqual({
    ulid: expect.stringMatching(/^[0-9A-Z]{26}$/),
    name: 'Archive',
    kind: 's3',
    endpoint: 'https://s3.example.com',
    region: 'auto',
    bucket: 'media-archive',
    prefix: 'videos/',
    path_style: true,
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    role_arn: null,
    external_id: null,
    trusted_account: null,
    used_by: { templates: 0, deliveries: 0, ingests: 0 },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(parameters.commandCalls(PutParameterCommand)[0]?.args[0].input).toEqual({
    Name: named(ulid, 1),
    Value: secret,
    Type: 'SecureString',
    Overwrite: true,
    KeyId: 'arn:aws:kms:key',
  });
  const list = await callHandler(handler, 'GET /api/storages', { token: person.token });
  expect(list.json.data).toEqual([json.data]);
  expect((await read(person, ulid.toLowerCase())).json).toEqual(json);
  const items = [
    ...(await queryItems(keys.storage(ulid).pk)),
    ...(await queryItems(keys.activity(person.user.ulid, '').pk)),
    await readHistory(person.user, 10),
  ];
  expect(JSON.stringify([json, list.json, items])).not.toContain(secret);
});

test('a repeated request has one storage and one secret, and its record in the table has no secret', async () => {
  const person = await createPerson();
  const headers = { 'idempotency-key': 'once' };
  const first = await send(person, fields, headers);
  const second = await send(person, fields, headers);
  expect(second.json).toEqual(first.json);
  expect([...stored.keys()]).toEqual([named(first.json.data.ulid, 1)]);
  const other = await send(person, { ...fields, secret_access_key: 'another' }, headers);
  expect(other.json.code).toBe('idempotency_key_reused');
});

test('a new secret has another name, so that nobody reads the earlier one, which is deleted', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  const changed = await change(person, ulid, { secret_access_key: 'second' });
  expect(changed.status, changed.text).toBe(200);
  expect(stored).toEqual(new Map([[named(ulid, 2), 'second']]));
  expect(await findStorage(person.user.ulid, ulid)).toMatchObject({ secretVersion: 2, oldestVersion: 2 });
  expect((await change(person, ulid, { name: 'Other', prefix: '/a/b' })).json.data).toMatchObject({
    name: 'Other',
    prefix: 'a/b/',
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  });
  expect(stored.size).toBe(1);
  const lines = await readHistory(person.user, 2);
  expect(lines.map(({ properties }) => properties.secret_changed)).toEqual([false, true]);
});

test('a call that dies after it has stored a secret leaves none once the storage is changed or deleted', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  const { reserveVersion } = await import('../../../functions/table/storages/storage-table.ts');
  const reserved = await reserveVersion((await findStorage(person.user.ulid, ulid))!);
  stored.set(named(ulid, reserved), 'of the call that died');
  await change(person, ulid, { secret_access_key: 'third' });
  expect([...stored.keys()]).toEqual([named(ulid, 3)]);
  const again = await reserveVersion((await findStorage(person.user.ulid, ulid))!);
  stored.set(named(ulid, again), 'of the call that died');
  expect((await remove(person, ulid)).status).toBe(204);
  expect([...stored.keys()]).toEqual([]);
});

test('two changes at the same time: one is told so, and one secret remains, that of the other', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  const results = await Promise.all(['a', 'b'].map((key) => change(person, ulid, { secret_access_key: key })));
  expect(results.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const { secretVersion } = (await findStorage(person.user.ulid, ulid))!;
  expect([...stored]).toEqual([[named(ulid, secretVersion), results[0]!.status === 200 ? 'a' : 'b']]);
});

test('a deleted storage is found no more, and its secret is deleted with it', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  expect((await remove(person, ulid)).status).toBe(204);
  expect(stored.size).toBe(0);
  expect((await read(person, ulid)).status).toBe(404);
  expect((await remove(person, ulid)).status).toBe(404);
  expect(await queryItems(keys.storage(ulid).pk)).toEqual([]);
});

test('an interrupted deletion is finished by the next one', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  parameters.on(DeleteParameterCommand).rejectsOnce(new Error('lost'));
  expect((await remove(person, ulid)).status).toBe(500);
  expect((await read(person, ulid)).status).toBe(404);
  parameters.on(DeleteParameterCommand).callsFake(({ Name }) => stored.delete(Name) && {});
  expect((await remove(person, ulid)).status).toBe(204);
  expect(stored.size).toBe(0);
});

test('a storage that is used cannot be deleted, and says by what it is used', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  await transact([
    ...templateStorageWrites([], [ulid], [person.user.ulid]),
    { check: keys.user(person.user.ulid), when: { exists: true } },
  ]);
  await transact([storageUseBegins(ulid, 'ingests', [person.user.ulid])]);
  await transact([storageUseBegins(ulid, 'ingests', [person.user.ulid])]);
  const refused = await remove(person, ulid);
  expect(refused.json).toMatchObject({
    code: 'storage_in_use',
    message: 'The storage is used by 1 template and 2 ingests.',
  });
  expect((await read(person, ulid)).json.data.used_by).toEqual({ templates: 1, deliveries: 0, ingests: 2 });
  await transact([storageUseEnds(ulid, 'ingests')]);
  await transact([storageUseEnds(ulid, 'ingests')]);
  await transact(templateStorageWrites([ulid], [], []));
  expect((await remove(person, ulid)).status).toBe(204);
});

test('no use of a storage begins for another user, or when it is deleted', async () => {
  const [person, other] = [await createPerson(), await createPerson()];
  const ulid = await add(person);
  await expect(transact([storageUseBegins(ulid, 'deliveries', [other.user.ulid])])).rejects.toThrow('condition');
  await remove(person, ulid);
  await expect(transact([storageUseBegins(ulid, 'deliveries', [person.user.ulid])])).rejects.toThrow('condition');
});

test('the storages of a deleted user are deleted with their secrets, while a template that names one can still change', async () => {
  const admin = await createPerson({ isAdmin: true });
  const person = await createPerson();
  const [used, unused] = [await add(person), await add(person)];
  await transact(templateStorageWrites([], [used], [person.user.ulid]));
  const removed = await callHandler(users, `DELETE /api/users/${person.user.id}`, { token: admin.token });
  expect(removed.status, removed.text).toBe(204);
  expect(stored.size).toBe(0);
  for (const ulid of [used, unused]) expect(await findStorage(person.user.ulid, ulid)).toBeUndefined();
  await transact(templateStorageWrites([used], [], []));
  const { forgetUnusedStorage } = await import('../../../functions/table/storages/storage-removal.ts');
  expect(await forgetUnusedStorage(used)).toBe(true);
  expect(await queryItems(keys.storage(used).pk)).toEqual([]);
});

test('a user has at most 20 storages', async () => {
  const person = await createPerson();
  const ulids = [];
  for (let number = 0; number < maxStoragesPerUser; number++) ulids.push(await add(person));
  const refused = await send(person);
  expect([refused.status, refused.json.code]).toEqual([409, 'storage_limit']);
  expect(stored.size).toBe(maxStoragesPerUser);
  await remove(person, ulids[0]!);
  expect((await send(person)).status).toBe(201);
});

test('the role of another account gets an external id of its own, which later changes keep', async () => {
  const person = await createPerson();
  const first = await send(person, roleFields);
  expect(first.json.data).toMatchObject({
    endpoint: null,
    path_style: false,
    access_key_id: null,
    role_arn: roleFields.role_arn,
    external_id: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
    trusted_account: '999999999999',
  });
  expect(stored.size).toBe(0);
  const second = await send(person, roleFields);
  expect(second.json.data.external_id).not.toBe(first.json.data.external_id);
  const { ulid } = first.json.data;
  const other = await change(person, ulid, { role_arn: 'arn:aws:iam::111122223333:role/other' });
  expect(other.json.data.external_id).toBe(first.json.data.external_id);
});

test('an access key replaces a role, and a role an access key, whose secret is deleted', async () => {
  const person = await createPerson();
  const ulid = await add(person, roleFields);
  const keyed = await change(person, ulid, { access_key_id: 'AKIA1', secret_access_key: 'one' });
  expect(keyed.json.data).toMatchObject({ role_arn: null, external_id: null, access_key_id: 'AKIA1' });
  expect([...stored.values()]).toEqual(['one']);
  const back = await change(person, ulid, { role_arn: roleFields.role_arn });
  expect(back.json.data).toMatchObject({ role_arn: roleFields.role_arn, access_key_id: null });
  expect(stored.size).toBe(0);
  await change(person, ulid, { access_key_id: 'AKIA2', secret_access_key: 'two' });
  expect([...stored.values()]).toEqual(['two']);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'a role of the account of the service',
    { ...roleFields, role_arn: 'arn:aws:iam::999999999999:role/cdk' },
    'role_arn',
  ],
  ['a user of AWS instead of a role', { ...roleFields, role_arn: 'arn:aws:iam::111122223333:user/eve' }, 'role_arn'],
  ['a role with an endpoint', { ...roleFields, endpoint: 'https://s3.example.com' }, 'role_arn'],
  ['a role and an access key', { ...fields, role_arn: roleFields.role_arn }, 'role_arn'],
  ['no credentials', { ...fields, access_key_id: null, secret_access_key: null }, 'access_key_id'],
  ['an access key without a secret', { ...fields, secret_access_key: null }, 'secret_access_key'],
  ['a secret with a line break', { ...fields, secret_access_key: 'a\nb' }, 'secret_access_key'],
  ['http', { ...fields, endpoint: 'http://s3.example.com' }, 'endpoint'],
  ['loopback', { ...fields, endpoint: 'http://127.0.0.1:9000' }, 'endpoint'],
  ['the metadata address', { ...fields, endpoint: 'https://169.254.169.254' }, 'endpoint'],
  ['a private address in disguise', { ...fields, endpoint: 'https://0x0a.1' }, 'endpoint'],
  ['an endpoint with a path', { ...fields, endpoint: 'https://s3.example.com/bucket' }, 'endpoint'],
  ['an endpoint with a query', { ...fields, endpoint: 'https://s3.example.com?x=1' }, 'endpoint'],
  ['an endpoint with credentials', { ...fields, endpoint: 'https://a:b@s3.example.com' }, 'endpoint'],
  ['no URL', { ...fields, endpoint: 's3.example.com' }, 'endpoint'],
  ['no region of AWS', { ...fields, endpoint: null }, 'region'],
  ['a region with a host', { ...fields, region: 'x.evil.com/' }, 'region'],
  ['an access point', { ...fields, bucket: 'arn:aws:s3:eu-west-1:1:accesspoint/x' }, 'bucket'],
  ['a directory bucket', { ...fields, bucket: 'abc--euc1-az1--x-s3' }, 'bucket'],
  ['an address as bucket', { ...fields, bucket: '10.0.0.1' }, 'bucket'],
  ['a bucket with a slash', { ...fields, bucket: 'a/../b' }, 'bucket'],
  ['a prefix with a step up', { ...fields, prefix: 'a/../b' }, 'prefix'],
  ['a prefix with an empty part', { ...fields, prefix: 'a//b' }, 'prefix'],
  ['a prefix with a query', { ...fields, prefix: 'a?x' }, 'prefix'],
  [
    'the bucket in a host that is an address',
    { ...fields, endpoint: 'https://93.184.216.34', path_style: false },
    'path_style',
  ],
])('%s is refused, and nothing is stored', async (_, body, field) => {
  const person = await createPerson();
  const { status, json } = await send(person, body);
  expect([status, Object.keys(json.errors)]).toEqual([422, expect.arrayContaining([field])]);
  expect(stored.size).toBe(0);
  const list = await callHandler(handler, 'GET /api/storages', { token: person.token });
  expect(list.json.data).toEqual([]);
});

test('on one machine a role is refused with the reason', async () => {
  process.env.AWS_ENDPOINT_URL_S3 = 'http://127.0.0.1:1';
  const { status, json } = await send(await createPerson(), roleFields);
  expect([status, json.errors.role_arn]).toEqual([422, ['Roles need a service that runs on AWS. Give an access key.']]);
});

test('another access key needs its secret', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  expect((await change(person, ulid, { access_key_id: 'AKIAOTHER' })).json.errors).toHaveProperty('secret_access_key');
  expect([...stored.values()]).toEqual([secret]);
});

test.each([
  ['another host', { endpoint: 'https://evil.example.net' }],
  ['another port', { endpoint: 'https://s3.example.com:8443' }],
  ['AWS', { endpoint: null, region: 'eu-central-1' }],
])('a present secret signs no request to %s', async (_, changes) => {
  const person = await createPerson();
  const ulid = await add(person);
  const { status, json } = await change(person, ulid, changes);
  expect([status, Object.keys(json.errors)]).toEqual([422, ['secret_access_key']]);
  expect((await change(person, ulid, { ...changes, secret_access_key: 'again' })).status).toBe(200);
  expect([...stored.values()]).toEqual(['again']);
});

test('the endpoint as it is, in another notation, needs no secret', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  expect((await change(person, ulid, { endpoint: 'https://S3.example.com:443/', name: 'A' })).status).toBe(200);
});

test('a storage that is deleted before its first secret is stored leaves none', async () => {
  const person = await createPerson();
  parameters.on(PutParameterCommand).callsFake(async ({ Name, Value }) => {
    const { json } = await callHandler(handler, 'GET /api/storages', { token: person.token });
    await remove(person, json.data[0].ulid);
    stored.set(Name, Value);
  });
  expect((await send(person)).json.code).toBe('concurrent_change');
  expect(stored.size).toBe(0);
});

test('a storage that gets another secret before its first one is stored keeps the other one alone', async () => {
  const person = await createPerson();
  parameters.on(PutParameterCommand).callsFake(async ({ Name, Value }) => {
    const [storage] = (await callHandler(handler, 'GET /api/storages', { token: person.token })).json.data;
    if (Name.endsWith('/1')) await change(person, storage.ulid, { secret_access_key: 'later' });
    stored.set(Name, Value);
  });
  const { status, json } = await send(person);
  expect([status, [...stored]]).toEqual([201, [[named(json.data.ulid, 2), 'later']]]);
});

test('a storage whose secret could not be stored says so when it is opened, and takes it later', async () => {
  const person = await createPerson();
  parameters.on(PutParameterCommand).rejectsOnce(new Error('lost'));
  expect((await send(person)).status).toBe(500);
  const [storage] = (await callHandler(handler, 'GET /api/storages', { token: person.token })).json.data;
  const tested = await callHandler(handler, `POST /api/storages/${storage.ulid}/test`, { token: person.token });
  expect(tested.json.data).toMatchObject({ ok: false, steps: [{ step: 'open', ok: false, code: 'secret_missing' }] });
  parameters.on(PutParameterCommand).callsFake(({ Name, Value }) => stored.set(Name, Value) && {});
  expect((await change(person, storage.ulid, { name: 'A' })).json.errors).toHaveProperty('secret_access_key');
  expect((await change(person, storage.ulid, { secret_access_key: secret })).status).toBe(200);
  expect([...stored]).toEqual([[named(storage.ulid, 2), secret]]);
});

test('few storages are tested in a minute: a test connects to any host and waits for it', async () => {
  const person = await createPerson();
  const ulid = await add(person);
  parameters.on(GetParameterCommand).rejects(new ParameterNotFound({ message: 'none', $metadata: {} }));
  const attempt = () => callHandler(handler, `POST /api/storages/${ulid}/test`, { token: person.token });
  const statuses = [];
  for (let tests = 0; tests < 21; tests++) statuses.push((await attempt()).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  expect((await read(person, ulid)).status).toBe(200);
});
