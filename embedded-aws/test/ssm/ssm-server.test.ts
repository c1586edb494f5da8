import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParameterAlreadyExists, ParameterNotFound, type PutParameterCommandInput, SSM } from '@aws-sdk/client-ssm';
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

test('a parameter is replaced only on request, and its version is incremented', async () => {
  await put('name', 'one');
  await expect(put('name', 'two')).rejects.toThrow(ParameterAlreadyExists);
  expect(await value('name')).toBe('one');
  expect(await put('name', 'two', { Overwrite: true, Type: undefined })).toMatchObject({ Version: 2 });
  expect(await value('name')).toBe('two');
});

test('a missing parameter is ParameterNotFound', async () => {
  await expect(value('absent')).rejects.toThrow(ParameterNotFound);
  await expect(ssm.client.deleteParameter({ Name: 'absent' })).rejects.toThrow(ParameterNotFound);
  expect(ssm.get('absent')).toBeUndefined();
});

test('of concurrent creations exactly one succeeds', async () => {
  const attempts = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => put('name', `${n}`)));
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
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

test('several parameters are read or deleted at once, and missing ones are listed', async () => {
  await put('a', '1');
  await put('b', '2', { Type: 'SecureString' });
  const read = await ssm.client.getParameters({ Names: ['b', 'absent', 'a', 'a'], WithDecryption: true });
  expect(read.Parameters?.map(({ Name, Value }) => [Name, Value])).toEqual([
    ['b', '2'],
    ['a', '1'],
  ]);
  expect(read.InvalidParameters).toEqual(['absent']);
  const deleted = await ssm.client.deleteParameters({ Names: ['a', 'absent'] });
  expect([deleted.DeletedParameters, deleted.InvalidParameters]).toEqual([['a'], ['absent']]);
  expect((await ssm.client.getParameters({ Names: ['a', 'b'] })).InvalidParameters).toEqual(['a']);
});

test('a path is listed by level or recursively, in pages', async () => {
  for (const name of ['/app/b', '/app/a', '/app/deep/c', '/apple/d', '/app']) await put(name, 'x');
  const list = async (input: { Path: string; Recursive?: boolean; MaxResults?: number }) => {
    const pages: unknown[] = [];
    let NextToken: string | undefined;
    do {
      const page = await ssm.client.getParametersByPath({ ...input, NextToken });
      pages.push(page.Parameters?.map(({ Name }) => Name));
      NextToken = page.NextToken;
    } while (NextToken);
    return pages;
  };
  expect(await list({ Path: '/app' })).toEqual([['/app/a', '/app/b']]);
  expect(await list({ Path: '/app/', Recursive: true, MaxResults: 2 })).toEqual([
    ['/app/a', '/app/b'],
    ['/app/deep/c'],
  ]);
  expect(await list({ Path: '/', Recursive: true })).toEqual([['/app', '/app/a', '/app/b', '/app/deep/c', '/apple/d']]);
  expect(await list({ Path: '/nothing' })).toEqual([[]]);
});

test('a value over 4 KB requires the advanced tier, which is limited to 8 KB and permanent', async () => {
  const large = 'x'.repeat(4097);
  expect(await put('at-limit', 'x'.repeat(4096))).toMatchObject({ Tier: 'Standard' });
  await expect(put('large', large)).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(put('large', 'é'.repeat(2049))).rejects.toMatchObject({ name: 'ValidationException' });
  expect(await put('large', large, { Tier: 'Advanced' })).toMatchObject({ Tier: 'Advanced' });
  expect(await put('chosen', large, { Tier: 'Intelligent-Tiering' })).toMatchObject({ Tier: 'Advanced' });
  await expect(put('larger', 'x'.repeat(8193), { Tier: 'Advanced' })).rejects.toMatchObject({
    name: 'ValidationException',
  });
  await expect(put('large', 'x', { Tier: 'Standard', Overwrite: true })).rejects.toThrow('downgrade');
  expect(await put('large', large, { Overwrite: true })).toMatchObject({ Tier: 'Advanced', Version: 2 });
});

test.each([
  ['a space in the name', () => put('a name', 'x'), 'ValidationException'],
  ['a name with levels that does not start with a slash', () => put('a/b', 'x'), 'ValidationException'],
  ['an empty level', () => put('/a//b', 'x'), 'ValidationException'],
  ['a trailing slash', () => put('/a/', 'x'), 'ValidationException'],
  ['the prefix aws', () => put('/AWS/b', 'x'), 'ValidationException'],
  ['the prefix ssm', () => put('ssm-b', 'x'), 'ValidationException'],
  ['a name of 1,012 characters', () => put('a'.repeat(1012), 'x'), 'ValidationException'],
  ['sixteen levels', () => put('/a'.repeat(16), 'x'), 'HierarchyLevelLimitExceededException'],
  ['an empty value', () => put('a', ''), 'ValidationException'],
  ['no type', () => put('a', 'x', { Type: undefined }), 'ValidationException'],
  ['an unknown type', () => put('a', 'x', { Type: 'Text' as 'String' }), 'ValidationException'],
  [
    'a value that its pattern does not allow',
    () => put('a', 'x1', { AllowedPattern: '[a-z]+' }),
    'ParameterPatternMismatchException',
  ],
  ['an invalid pattern', () => put('a', 'x', { AllowedPattern: '(' }), 'InvalidAllowedPatternException'],
  [
    'eleven names',
    () => ssm.client.getParameters({ Names: Array.from({ length: 11 }, (_, n) => `n${n}`) }),
    'ValidationException',
  ],
  ['a path without a slash', () => ssm.client.getParametersByPath({ Path: 'a' }), 'ValidationException'],
  [
    'filters',
    () => ssm.client.getParametersByPath({ Path: '/', ParameterFilters: [{ Key: 'Type', Values: ['String'] }] }),
    'ValidationException',
  ],
  ['an unsupported operation', () => ssm.client.describeParameters({}), 'UnknownOperationException'],
])('%s is rejected', async (_name, attempt, name) => {
  await expect(attempt()).rejects.toMatchObject({ name });
});

test('the type of a parameter cannot be changed', async () => {
  await put('a', 'x');
  await expect(put('a', 'x', { Type: 'SecureString', Overwrite: true })).rejects.toMatchObject({
    name: 'HierarchyTypeMismatchException',
  });
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
