import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { handler as uploads } from '../../../functions/api/uploads.lambda.ts';
import { log } from '../../../functions/common/log.ts';
import { handler as continueIngests } from '../../../functions/ingests/continue-ingests.lambda.ts';
import { handleFileRequest } from '../../../functions/queue/lease-files.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { findAnyIngest } from '../../../functions/table/ingests/ingest-table.ts';
import { hideStorageOfDeleted } from '../../../functions/table/storages/storage-removal.ts';
import {
  createStorage,
  findStorage,
  recordFirstSecret,
  type Storage,
} from '../../../functions/table/storages/storage-table.ts';
import type { IngestSpec } from '../../../shared/protocol/jobs.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { buildStorage } from '../../fixtures/records/build-storage.ts';
import { createIngestingPerson, nextLease } from '../../fixtures/records/ingesting-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(LambdaClient).on(InvokeCommand).resolves({});
const parameters = mockClient(SSMClient);

let person: Awaited<ReturnType<typeof createIngestingPerson>>;
let storage: Storage;
beforeEach(async () => {
  await clearQueue();
  parameters.reset();
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'secret-of-the-storage' } });
  process.env.PARAMETER_PREFIX = '/video-service/test';
  person = await createIngestingPerson();
  const { ulid, ownerUlid, ...fields } = buildStorage({ prefix: 'films/' });
  storage = (await recordFirstSecret(await createStorage(fields, person.user)))!;
});

const begin = (fields: object = { key: 'films/ä b.mov' }, { token } = person) =>
  callHandler(uploads, 'POST /api/ingests', {
    token,
    body: { storage: storage.ulid, metadata: { template: person.template.ulid }, ...fields },
  });
const proceed = () => continueIngests({ userUlid: person.user.ulid });
const uses = async () => (await findStorage(person.user.ulid, storage.ulid))?.ingests;

test('an object in a storage is ingested: it is shown without a signature, and its name is the last part of the key', async () => {
  const { status, json, text } = await begin();
  expect(status, text).toBe(202);
  expect(json.data).toMatchObject({
    storage: storage.ulid,
    key: 'films/ä b.mov',
    url: 'https://s3.example.com/films/films/%C3%A4%20b.mov',
    filename: 'ä b.mov',
    status: 'pending',
  });
  expect(await uses()).toBe(1);
});

test('the worker gets a URL that is signed for its lease, and another one when it asks', async () => {
  const { json } = await begin();
  await proceed();
  const lease = (await nextLease())!;
  const spec = lease.spec as IngestSpec;
  const url = new URL(spec.url);
  expect(url.pathname).toBe('/films/films/%C3%A4%20b.mov');
  expect(url.searchParams.get('X-Amz-Expires')).toBe('1800');
  expect(spec.storage).toEqual({ name: 'Films', urlSeconds: 1800 });
  expect(JSON.stringify(lease)).not.toContain('secret-of-the-storage');
  const renewed = await handleFileRequest({ ask: 'source-url', lease: lease.id }, { node: 'pool' });
  expect(new URL(renewed.urls!.source!).pathname).toBe(url.pathname);
  expect(JSON.stringify(await findAnyIngest(json.data.ulid))).not.toMatch(/X-Amz|secret/);
});

test.each<[string, object, string]>([
  ['a key outside of the prefix', { key: 'private/a.mov' }, 'key'],
  ['a folder', { key: 'films/a/' }, 'key'],
  ['a step up', { key: 'films/../private/a.mov' }, 'key'],
  ['a control character', { key: 'films/a\u0007.mov' }, 'key'],
  ['too many bytes', { key: `films/${'ä'.repeat(510)}` }, 'key'],
  ['no key', {}, 'key'],
  ['a key without a storage', { storage: null, key: 'films/a.mov' }, 'storage'],
  ['a storage and a URL', { url: 'https://example.com/a.mov', key: 'films/a.mov' }, 'url'],
  ['neither', { storage: null }, 'url'],
])('%s is refused, and no ingest is made', async (_, fields, field) => {
  const { status, json } = await begin(fields);
  expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  expect(await uses()).toBe(0);
});

test('the storage of another user is unknown', async () => {
  const other = await createIngestingPerson();
  const { json } = await begin({ key: 'films/a.mov', metadata: { template: other.template.ulid } }, other);
  expect(json.errors).toHaveProperty('storage');
});

test('a storage is used until its ingest has ended, by a failure or by the user', async () => {
  const [first, second] = [await begin(), await begin()];
  expect(await uses()).toBe(2);
  await callHandler(uploads, `DELETE /api/ingests/${second.json.data.ulid}`, { token: person.token });
  expect(await uses()).toBe(1);
  await proceed();
  const { id } = (await nextLease())!;
  const message = 'The storage "Films" has no object with this key, or no such bucket.';
  await reportFailed({ lease: id, code: 'INPUT_GONE', fatal: true, message });
  await proceed();
  expect(await findAnyIngest(first.json.data.ulid)).toMatchObject({
    status: 'failed',
    error: `INPUT_GONE: ${message}`,
  });
  expect(await uses()).toBe(0);
});

test('a storage without its secret, and one that is deleted with its user, end the ingest with a sentence', async () => {
  const first = await begin();
  parameters.on(GetParameterCommand).rejects(new ParameterNotFound({ message: 'none', $metadata: {} }));
  await proceed();
  expect((await findAnyIngest(first.json.data.ulid))?.error).toBe(
    'INPUT_UNREACHABLE: The storage "Films" cannot be used. The storage has no secret. Send access_key_id and secret_access_key again.',
  );
  const second = await begin();
  await hideStorageOfDeleted(storage);
  await proceed();
  expect((await findAnyIngest(second.json.data.ulid))?.error).toBe('INPUT_UNREACHABLE: The storage was deleted.');
});

test('a lease whose storage cannot be opened any more is not given, and the ingest ends when it is continued', async () => {
  const { json } = await begin();
  await proceed();
  parameters.on(GetParameterCommand).rejects(new ParameterNotFound({ message: 'none', $metadata: {} }));
  // Not the secret that the function keeps.
  const { reserveVersion, updateStorage } = await import('../../../functions/table/storages/storage-table.ts');
  const secretVersion = await reserveVersion(storage);
  await updateStorage(storage, { ...storage, secretVersion }, person.user);
  expect(await nextLease()).toBeUndefined();
  await proceed();
  expect((await findAnyIngest(json.data.ulid))?.error).toContain('The storage has no secret.');
});

test('an ingest whose key is not below the prefix of its changed storage ends with a sentence, and nothing is signed', async () => {
  const errors = vi.spyOn(log, 'error');
  const { json } = await begin();
  await proceed();
  const { updateStorage } = await import('../../../functions/table/storages/storage-table.ts');
  await updateStorage(storage, { ...storage, prefix: 'other/' }, person.user);
  expect(await nextLease()).toBeUndefined();
  await proceed();
  expect((await findAnyIngest(json.data.ulid))?.error).toBe(
    'INPUT_UNREACHABLE: The storage "Films" was changed. The key must begin with other/, the prefix of the storage.',
  );
  expect(errors).not.toHaveBeenCalled();
});
