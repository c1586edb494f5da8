import { ParameterAlreadyExists, ParameterNotFound, type PutParameterCommandInput } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openParameters } from './open-parameters.ts';

let ssm: Awaited<ReturnType<typeof openParameters>>;
/** The path of the parameters of a test. */
let path: string;
let tests = 0;

beforeAll(async () => {
  ssm = await openParameters();
});
beforeEach(() => {
  path = `${ssm.path}/${++tests}`;
});
afterAll(() => ssm.close());

const put = (Name: string, Value: string, more: Partial<PutParameterCommandInput> = {}) =>
  ssm.client.putParameter({ Name, Value, Type: 'String', ...more });
const value = async (Name: string, WithDecryption?: boolean) =>
  (await ssm.client.getParameter({ Name, WithDecryption })).Parameter?.Value;

test('a parameter is returned with its type and version, and deleted once', async () => {
  const Name = `${path}/url`;
  expect(await put(Name, 'http://127.0.0.1')).toMatchObject({ Version: 1, Tier: 'Standard' });
  expect((await ssm.client.getParameter({ Name })).Parameter).toEqual({
    Name,
    Type: 'String',
    Value: 'http://127.0.0.1',
    Version: 1,
    LastModifiedDate: expect.any(Date),
    ARN: expect.stringMatching(/^arn:aws:ssm:[^:]+:\d{12}:parameter\/.*\/url$/),
    DataType: 'text',
  });
  await ssm.client.deleteParameter({ Name });
  await expect(value(Name)).rejects.toThrow(ParameterNotFound);
  await expect(ssm.client.deleteParameter({ Name })).rejects.toThrow(ParameterNotFound);
});

test('a SecureString is decrypted only on request', async () => {
  const Name = `${path}/key`;
  const secret = 'a secret — naïve 🎬';
  await put(Name, secret, { Type: 'SecureString' });
  expect(await value(Name, true)).toBe(secret);
  expect(await value(Name)).not.toContain('secret —');
});

test('a parameter is replaced only on request, and its version is incremented', async () => {
  await put(`${path}/name`, 'one');
  await expect(put(`${path}/name`, 'two')).rejects.toThrow(ParameterAlreadyExists);
  expect(await value(`${path}/name`)).toBe('one');
  expect(await put(`${path}/name`, 'two', { Overwrite: true, Type: undefined })).toMatchObject({ Version: 2 });
  expect(await value(`${path}/name`)).toBe('two');
});

test('of concurrent creations exactly one succeeds', async () => {
  const attempts = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => put(`${path}/name`, `${n}`)));
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('several parameters are read or deleted at once, and missing ones are listed', async () => {
  const [a, b, absent] = ['a', 'b', 'absent'].map((name) => `${path}/${name}`) as [string, string, string];
  await put(a, '1');
  await put(b, '2', { Type: 'SecureString' });
  const read = await ssm.client.getParameters({ Names: [b, absent, a], WithDecryption: true });
  expect(new Map(read.Parameters?.map(({ Name, Value }) => [Name, Value]))).toEqual(
    new Map([
      [a, '1'],
      [b, '2'],
    ]),
  );
  expect(read.InvalidParameters).toEqual([absent]);
  const deleted = await ssm.client.deleteParameters({ Names: [a, absent] });
  expect([deleted.DeletedParameters, deleted.InvalidParameters]).toEqual([[a], [absent]]);
  expect((await ssm.client.getParameters({ Names: [a, b] })).InvalidParameters).toEqual([a]);
});

test('a path is listed by level or recursively, in pages', async () => {
  for (const name of ['/app/b', '/app/a', '/app/deep/c', '/apple/d', '/app']) await put(path + name, 'x');
  /** The names, for which no order is documented, and the number of pages. */
  const list = async (input: { Path: string; Recursive?: boolean; MaxResults?: number }) => {
    const names: string[] = [];
    let NextToken: string | undefined;
    let pages = 0;
    do {
      const page = await ssm.client.getParametersByPath({ ...input, Path: path + input.Path, NextToken });
      names.push(...(page.Parameters ?? []).map(({ Name }) => Name!.slice(path.length)));
      NextToken = page.NextToken;
      pages++;
    } while (NextToken);
    return [names.toSorted(), pages];
  };
  expect(await list({ Path: '/app' })).toEqual([['/app/a', '/app/b'], 1]);
  expect(await list({ Path: '/app/', Recursive: true, MaxResults: 2 })).toEqual([
    ['/app/a', '/app/b', '/app/deep/c'],
    2,
  ]);
  expect(await list({ Path: '/', Recursive: true })).toEqual([
    ['/app', '/app/a', '/app/b', '/app/deep/c', '/apple/d'],
    1,
  ]);
  expect(await list({ Path: '/nothing' })).toEqual([[], 1]);
});

test('a value over 4 KB requires the advanced tier, which is limited to 8 KB and permanent', async () => {
  const large = 'x'.repeat(4097);
  expect(await put(`${path}/at-limit`, 'x'.repeat(4096))).toMatchObject({ Tier: 'Standard' });
  await expect(put(`${path}/large`, large)).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(put(`${path}/large`, 'é'.repeat(2049))).rejects.toMatchObject({ name: 'ValidationException' });
  expect(await put(`${path}/large`, large, { Tier: 'Advanced' })).toMatchObject({ Tier: 'Advanced' });
  expect(await put(`${path}/chosen`, large, { Tier: 'Intelligent-Tiering' })).toMatchObject({ Tier: 'Advanced' });
  await expect(put(`${path}/larger`, 'x'.repeat(8193), { Tier: 'Advanced' })).rejects.toMatchObject({
    name: 'ValidationException',
  });
  await expect(put(`${path}/large`, 'x', { Tier: 'Standard', Overwrite: true })).rejects.toThrow('downgrade');
  expect(await put(`${path}/large`, large, { Overwrite: true })).toMatchObject({ Tier: 'Advanced', Version: 2 });
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
])('%s is rejected', async (_name, attempt, name) => {
  await expect(attempt()).rejects.toMatchObject({ name });
});

test('the type of a parameter cannot be changed', async () => {
  const name = `${path}/a`;
  await put(name, 'x');
  await expect(put(name, 'x', { Type: 'SecureString', Overwrite: true })).rejects.toMatchObject({
    name: 'HierarchyTypeMismatchException',
  });
});
