import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParameterNotFound, type PutParameterCommandInput, SSM } from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeWhole } from '../../src/durable/whole-file.ts';
import { openSsm, ssmTarget } from '../../src/ssm/ssm-server.ts';
import { serveControl } from '../../src/testing/serve-control.ts';

const region = 'eu-west-1';
let folder: string;
let file: string;
let ssm: Awaited<ReturnType<typeof startSsm>>;

async function startSsm() {
  const store = await openSsm({ file, region, now: () => new Date('2026-11-21T12:00:00.500Z') });
  const served = await serveControl({ region, targets: new Map([[ssmTarget, store.service]]) });
  const client = new SSM(served.client);
  return {
    client,
    endpoint: served.endpoint,
    get: store.get,
    async stop() {
      client.destroy();
      await served.stop();
      await store.close();
    },
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ssm-'));
  file = join(folder, 'state', 'parameters.json');
  ssm = await startSsm();
});
afterEach(async () => {
  await ssm.stop();
  await rm(folder, { recursive: true, force: true });
});

const put = (Name: string, Value: string, more: Partial<PutParameterCommandInput> = {}) =>
  ssm.client.putParameter({ Name, Value, Type: 'String', ...more });
const value = async (Name: string, WithDecryption?: boolean) =>
  (await ssm.client.getParameter({ Name, WithDecryption })).Parameter?.Value;

test('a parameter is returned with its type, version, date and ARN', async () => {
  expect(await put('/app/url', 'http://127.0.0.1')).toMatchObject({ Version: 1, Tier: 'Standard' });
  expect((await ssm.client.getParameter({ Name: '/app/url' })).Parameter).toEqual({
    Name: '/app/url',
    Type: 'String',
    Value: 'http://127.0.0.1',
    Version: 1,
    LastModifiedDate: new Date('2026-11-21T12:00:00.500Z'),
    ARN: 'arn:aws:ssm:eu-west-1:000000000000:parameter/app/url',
    DataType: 'text',
  });
});

test('a missing parameter is ParameterNotFound', async () => {
  await expect(value('absent')).rejects.toThrow(ParameterNotFound);
  await expect(ssm.client.deleteParameter({ Name: 'absent' })).rejects.toThrow(ParameterNotFound);
  expect(ssm.get('absent')).toBeUndefined();
});

describe('a SecureString', () => {
  const secret = 'a secret — naïve 🎬';

  test('is decrypted only on request', async () => {
    await put('/app/key', secret, { Type: 'SecureString' });
    expect(await value('/app/key', true)).toBe(secret);
    expect(await value('/app/key')).not.toContain('secret');
    expect(ssm.get('/app/key')).toBe(secret);
  });

  test('is encrypted in the file, and only its owner may read the key', async () => {
    await put('/app/key', secret, { Type: 'SecureString' });
    const text = await readFile(file, 'utf8');
    expect(text).toContain('/app/key');
    expect(text).not.toContain('secret —');
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(`${file}.key`)).mode & 0o777).toBe(0o600);
    expect((await stat(`${file}.key`)).size).toBe(32);
  });

  test('has a different ciphertext each time', async () => {
    await put('one', secret, { Type: 'SecureString' });
    await put('two', secret, { Type: 'SecureString' });
    expect(await value('one')).not.toBe(await value('two'));
  });

  test('cannot be decrypted under another name', async () => {
    await put('one', 'first', { Type: 'SecureString' });
    await put('two', 'second', { Type: 'SecureString' });
    await ssm.stop();
    const stored = JSON.parse(await readFile(file, 'utf8'));
    await writeWhole(file, JSON.stringify({ one: stored.two, two: stored.two }));
    ssm = await startSsm();
    expect(ssm.get('two')).toBe('second');
    expect(() => ssm.get('one')).toThrow();
  });
});

test('parameters are kept when the file is opened again', async () => {
  await put('plain', 'one');
  await put('secret', 'two', { Type: 'SecureString' });
  await put('gone', 'three');
  await ssm.client.deleteParameter({ Name: 'gone' });
  await ssm.stop();
  ssm = await startSsm();
  expect([await value('plain'), await value('secret', true)]).toEqual(['one', 'two']);
  await expect(value('gone')).rejects.toThrow(ParameterNotFound);
  expect(await put('plain', 'four', { Overwrite: true })).toMatchObject({ Version: 2 });
});

test('an invalid file is rejected and not replaced', async () => {
  const other = join(folder, 'other.json');
  await writeFile(other, '{"name": "no parameter"}');
  await expect(openSsm({ file: other, region })).rejects.toThrow(`${other} is damaged.`);
  expect(await readFile(other, 'utf8')).toBe('{"name": "no parameter"}');
});

test('encrypted parameters without their key are an error, and no new key is created', async () => {
  await put('secret', 'x', { Type: 'SecureString' });
  const moved = join(folder, 'moved.json');
  await writeFile(moved, await readFile(file));
  await expect(openSsm({ file: moved, region })).rejects.toThrow(`${moved}.key is missing`);
});

test('what AWS accepts and this server does not support is rejected', async () => {
  const ParameterFilters = [{ Key: 'Type', Values: ['String'] }];
  const filtered = ssm.client.getParametersByPath({ Path: '/', ParameterFilters });
  await expect(filtered).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(ssm.client.describeParameters({})).rejects.toMatchObject({ name: 'UnknownOperationException' });
});

test('a parameter that is read twice in a request is returned once, in the order of the names', async () => {
  await put('a', '1');
  await put('b', '2');
  const { Parameters } = await ssm.client.getParameters({ Names: ['b', 'a', 'a'] });
  expect(Parameters?.map(({ Name }) => Name)).toEqual(['b', 'a']);
});

test('a request without a signature is rejected', async () => {
  const response = await fetch(ssm.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' },
    body: '{"Name":"a"}',
  });
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.1');
  expect(await response.json()).toMatchObject({
    __type: expect.stringMatching(/MissingAuthenticationTokenException$/),
  });
});
