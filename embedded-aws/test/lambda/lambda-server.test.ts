import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenOnLoopback } from '../../src/http/http-server.ts';
import { createConcurrency } from '../../src/lambda/concurrency.ts';
import { invokeService } from '../../src/lambda/invoke-service.ts';
import { RequestTooLarge } from '../../src/lambda/lambda-errors.ts';
import { type Lambda, openLambda } from '../../src/lambda/lambda-server.ts';
import { credentials, serveControl } from '../../src/testing/serve-control.ts';
import { signRequest } from '../../src/testing/sign-request.ts';

const handlers = `
import { setTimeout as sleep } from 'node:timers/promises';
let calls = 0;
const here = new Int32Array(new SharedArrayBuffer(4));
export const echo = async (event, context) => ({ event, name: context.functionName, arn: context.invokedFunctionArn, left: context.getRemainingTimeInMillis() <= 120_000 });
export const variables = async () => ({ ...process.env });
export const count = async () => ++calls;
export const nothing = async () => {};
export const fails = async () => { const error = new TypeError('not a number'); error.name = 'Job.Fatal'; throw error; };
export const hangs = async () => { for (;;) Atomics.wait(here, 0, 0, 1000); };
export const crashes = async () => { setImmediate(() => { throw new RangeError('outside'); }); await sleep(60_000); };
export const exits = async () => process.exit(3);
export const hoards = async () => { const all = []; for (;;) all.push(new Array(1000).fill(Math.random())); };
export const large = async () => 'x'.repeat(6 * 1024 * 1024);
export const says = async (event) => { console.log('said ' + event.what); };
export const logs = async (levels) => { for (const level of levels) console.log(JSON.stringify({ level })); };
export const meets = async ({ port }) => { const answer = await fetch('http://127.0.0.1:' + port); return answer.text(); };
`;

let folder: string;
let lambda: Lambda;
const lines: string[] = [];

const definition = (handler: string) => ({
  name: handler,
  arn: `arn:aws:lambda:local-1:000000000000:function:${handler}`,
  codeFolder: folder,
  module: 'index',
  handler,
  // includes a cold start, which takes seconds on a busy machine
  timeoutSeconds: 120,
  memoryMiB: 128,
  environment: { OWN: handler },
  roleArn: 'arn:aws:iam::000000000000:role/function',
  managedNodeRoleName: undefined,
  wakesTasks: false,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lambda-'));
  await writeFile(join(folder, 'index.mjs'), handlers);
  await writeFile(join(folder, 'broken.mjs'), "import 'a-package-that-is-not-there';");
  const define = (handler: string, more: object = {}) => ({ ...definition(handler), ...more });
  const names = [
    'echo',
    'variables',
    'count',
    'nothing',
    'fails',
    'exits',
    'large',
    'says',
    'meets',
    'crashes',
    'absent',
  ];
  lambda = openLambda({
    functions: [
      define('logs', { applicationLogLevel: 'WARN' }),
      ...names.map((name) => define(name)),
      define('hangs', { timeoutSeconds: 1 }),
      define('hoards', { memoryMiB: 16 }),
      define('unloadable', { module: 'broken' }),
    ],
    credentialsOf: () => ({ environment: { AWS_REGION: 'local-1' }, retireAtMs: Number.POSITIVE_INFINITY }),
    overrides: { LOG_LEVEL: 'ERROR' },
    cacheFolder: folder,
    log: (name, line) => lines.push(`${name}: ${line}`),
    maxInstancesPerFunction: 3,
    callsPerInstance: 1,
    scaleOutDelay: () => 1,
  });
});
afterAll(async () => {
  await lambda.close();
  await rm(folder, { recursive: true });
});

const failure = (errorType: string, errorMessage: unknown) => ({
  payload: expect.objectContaining({ errorType, errorMessage }),
  functionError: 'Unhandled',
});

test('a handler receives the event and a context, by name or by ARN', async () => {
  const expected = {
    event: { a: [1] },
    name: 'echo',
    arn: 'arn:aws:lambda:local-1:000000000000:function:echo',
    left: true,
  };
  expect(await lambda.invoke('echo', { a: [1] })).toEqual({ payload: expected });
  expect(await lambda.invoke(expected.arn, { a: [1] })).toEqual({ payload: expected });
});

test('a handler that returns nothing has the result null', async () => {
  expect(await lambda.invoke('nothing', {})).toEqual({ payload: null });
});

test('an instance is reused', async () => {
  expect([await lambda.invoke('count', {}), await lambda.invoke('count', {})]).toEqual([
    { payload: 1 },
    { payload: 2 },
  ]);
});

test('a function sees its own environment and none of this process', async () => {
  process.env.SECRET_OF_THE_HOST = 'x';
  expect((await lambda.invoke('variables', {})).payload).toEqual({
    AWS_REGION: 'local-1',
    AWS_LAMBDA_FUNCTION_NAME: 'variables',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: 'index.variables',
    OWN: 'variables',
    LOG_LEVEL: 'ERROR',
  });
  delete process.env.SECRET_OF_THE_HOST;
});

test('an exception of a handler is returned with its name', async () => {
  expect(await lambda.invoke('fails', {})).toEqual(failure('Job.Fatal', 'not a number'));
});

test('a handler that exceeds its timeout without yielding is stopped, and the next event gets a new instance', async () => {
  const timedOut = failure(
    'Sandbox.Timedout',
    expect.stringMatching(/^RequestId: \S+ Error: Task timed out after 1.00 seconds$/),
  );
  expect(await lambda.invoke('hangs', {})).toEqual(timedOut);
  expect(await lambda.invoke('hangs', {})).toEqual(timedOut);
});

test.each([
  ['crashes', 'RangeError', 'outside'],
  ['exits', 'Runtime.ExitError', 'Runtime exited'],
  ['hoards', 'Runtime.OutOfMemory', 'The function used more than 16 MB'],
  ['large', 'Function.ResponseSizeTooLarge', expect.stringContaining('6291456 bytes')],
  ['absent', 'Runtime.HandlerNotFound', 'index.absent is undefined or not exported'],
  ['unloadable', 'Error', expect.stringContaining('a-package-that-is-not-there')],
])('%s fails with %s and does not affect other functions', async (name, errorType, errorMessage) => {
  expect(await lambda.invoke(name, {})).toEqual(failure(errorType, errorMessage));
  expect(await lambda.invoke('nothing', {})).toEqual({ payload: null });
});

test('events run concurrently up to the maximum number of instances, and the others wait', async () => {
  // Each call is answered only when three have arrived, so that fewer than three cannot complete.
  const held: (() => void)[] = [];
  const server = createServer((_, response) => {
    held.push(() => response.end('met'));
    if (held.length % 3 === 0) for (const answer of held.splice(0)) answer();
  });
  const port = await listenOnLoopback(server);
  const calls = Array.from({ length: 6 }, () => lambda.invoke('meets', { port }));
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 6 }, () => ({ payload: 'met' })));
  server.close();
});

test('an event that waits for a short time uses an existing instance', async () => {
  const patient = openLambda({
    functions: [definition('count')],
    credentialsOf: () => ({ environment: {}, retireAtMs: Number.POSITIVE_INFINITY }),
    cacheFolder: folder,
    log: () => {},
    callsPerInstance: 1,
    scaleOutDelay: () => 3_600_000,
  });
  const counts = await Promise.all(Array.from({ length: 5 }, () => patient.invoke('count', {})));
  expect(counts.map(({ payload }) => payload)).toEqual([1, 2, 3, 4, 5]);
  await patient.close();
});

test('output of a function is logged under its name', async () => {
  await lambda.invoke('says', { what: 'this' });
  await expect.poll(() => lines).toContain('says: said this');
});

test('log lines below the level of the function are dropped', async () => {
  await lambda.invoke('logs', ['INFO', 'WARN', 'DEBUG', 'ERROR']);
  await expect.poll(() => lines).toContain('logs: {"level":"ERROR"}');
  expect(lines.filter((line) => line.startsWith('logs:'))).toEqual([
    'logs: {"level":"WARN"}',
    'logs: {"level":"ERROR"}',
  ]);
});

test('an unknown function is rejected', async () => {
  await expect(lambda.invoke('missing', {})).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('the API returns results, failures and errors, and accepts asynchronous invocations', async () => {
  const region = 'local-1';
  const enqueued: unknown[] = [];
  const functions = ['says', 'fails', 'echo', 'large'].map(definition);
  const { endpoint, stop } = await serveControl({
    region,
    lambda: invokeService({
      functions,
      invoke: lambda.invoke,
      async enqueue(name, payload) {
        if (name === 'large') throw new RequestTooLarge(1024 * 1024);
        enqueued.push([name, payload]);
      },
    }),
  });
  const call = async (name: string, body: string, headers: Record<string, string> = {}) => {
    const url = `${endpoint}/2015-03-31/functions/${name}/invocations`;
    const answer = await fetch(url, signRequest({ url, body, headers, service: 'lambda', region, credentials }));
    return [answer.status, answer.headers.get('x-amz-function-error'), await answer.text()];
  };
  const later = { 'x-amz-invocation-type': 'Event' };
  expect(await call('says', '{"what":"more"}')).toEqual([200, null, 'null']);
  expect(await call('fails', '')).toEqual([200, 'Unhandled', expect.stringContaining('"errorType":"Job.Fatal"')]);
  expect(await call('missing', '{}')).toEqual([404, null, expect.stringContaining('Function not found: missing')]);
  expect(await call('%zz', '{}')).toEqual([404, null, expect.stringContaining('Only Invoke')]);
  expect(await call('echo', '{')).toEqual([400, null, expect.stringContaining('Could not parse')]);
  expect(await call('says', '{"what":"later"}', later)).toEqual([202, null, '']);
  expect(enqueued).toEqual([['says', { what: 'later' }]]);
  expect(await call('large', '{}', later)).toEqual([
    413,
    null,
    expect.stringContaining('smaller than 1048576 bytes for the InvokeFunction operation'),
  ]);
  await stop();
});

test('a request over 6 MB is refused', async () => {
  const event = 'ä'.repeat(3 * 1024 * 1024);
  await expect(lambda.invoke('nothing', event)).rejects.toMatchObject({ name: 'RequestTooLargeException' });
});

test('invocations over the reserved concurrency, or over that of the account, are throttled', () => {
  const functions = [{ ...definition('a'), reservedConcurrency: 1 }, definition('b'), definition('c')];
  const { acquire, release } = createConcurrency(functions, 3);
  const running = acquire('a');
  expect(() => acquire('a')).toThrow('Rate Exceeded.');
  release(running);
  acquire('a');
  acquire('b');
  acquire('c');
  expect(() => acquire('b')).toThrow(expect.objectContaining({ name: 'TooManyRequestsException' }));
});
