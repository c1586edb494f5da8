import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenOnLoopback } from '../../src/http/http-server.ts';
import { type LambdaOptions, openLambda } from '../../src/lambda/lambda-server.ts';

const handlers = `
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
export const where = async () => threadId;
export const crashes = async ({ crash }) => { if (crash) setImmediate(() => { throw new RangeError('outside'); }); await sleep(60_000); };
export const meets = async ({ port }) => { const answer = await fetch('http://127.0.0.1:' + port); return [await answer.text(), threadId]; };
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lambda-shared-'));
  await writeFile(join(folder, 'index.mjs'), handlers);
});
afterAll(() => rm(folder, { recursive: true }));

const define = (handler: string, timeoutSeconds: number, name = handler) => ({
  name,
  arn: `arn:aws:lambda:local-1:000000000000:function:${name}`,
  codeFolder: folder,
  module: 'index',
  handler,
  timeoutSeconds,
  memoryMiB: 128,
  environment: {},
  roleArn: 'arn:aws:iam::000000000000:role/function',
  managedNodeRoleName: undefined,
  wakesTasks: false,
});

async function withLambda(options: Partial<LambdaOptions>, work: (lambda: ReturnType<typeof openLambda>) => unknown) {
  const basics = {
    functions: [],
    credentialsOf: () => ({ environment: {}, retireAtMs: Number.POSITIVE_INFINITY }),
    cacheFolder: folder,
    log: () => {},
  };
  const lambda = openLambda({ ...basics, ...options });
  try {
    await work(lambda);
  } finally {
    await lambda.close();
  }
}

/** Makes calls that are answered only when `together` of them are running. */
async function meet(lambda: ReturnType<typeof openLambda>, together: number): Promise<unknown[]> {
  const held: (() => void)[] = [];
  const server = createServer((_, response) => {
    held.push(() => response.end('met'));
    if (held.length === together) for (const answer of held) answer();
  });
  const port = await listenOnLoopback(server);
  const answers = await Promise.all(Array.from({ length: together }, () => lambda.invoke('meets', { port })));
  server.close();
  return answers.map(({ payload }) => payload);
}

test('several invocations of a short function share one instance', () =>
  withLambda({ functions: [define('meets', 20)] }, async (lambda) => {
    const answers = (await meet(lambda, 5)) as [string, number][];
    expect(answers.map(([text]) => text)).toEqual(Array(5).fill('met'));
    expect(new Set(answers.map(([, thread]) => thread)).size).toBe(1);
    expect(lambda.instances).toBe(1);
  }));

test.each([
  ['the function may run for minutes', 60, {}],
  ['the caller asks for one call per instance', 20, { callsPerInstance: 1 }],
])('each invocation has its own instance when %s', (_, timeoutSeconds, options) =>
  withLambda({ functions: [define('meets', timeoutSeconds)], scaleOutDelay: () => 1, ...options }, async (lambda) => {
    const answers = (await meet(lambda, 3)) as [string, number][];
    expect(new Set(answers.map(([, thread]) => thread)).size).toBe(3);
  }),
);

test('an invocation that exceeds its timeout fails alone; the next event gets a new instance', () =>
  withLambda({ functions: [define('meets', 8)] }, async (lambda) => {
    const held: ServerResponse[] = [];
    const server = createServer((_, response) => void held.push(response));
    const port = await listenOnLoopback(server);
    const begin = async (): Promise<{ answer: () => void; thread: Promise<unknown> }> => {
      const [before, call] = [held.length, lambda.invoke('meets', { port })];
      await expect.poll(() => held.length).toBe(before + 1);
      return { answer: () => held[before]!.end('met'), thread: call.then(({ payload }) => (payload as unknown[])[1]) };
    };
    const first = await begin();
    first.answer();
    const late = lambda.invoke('meets', { port });
    // half of its timeout later, so that it is still running when the other one times out
    await sleep(4000);
    const other = await begin();
    expect((await late).payload).toMatchObject({ errorType: 'Sandbox.Timedout' });
    const next = await begin();
    for (const { answer } of [other, next]) answer();
    expect(await next.thread).not.toBe(await first.thread);
    expect(await other.thread).toBe(await first.thread);
    await expect.poll(() => lambda.instances).toBe(1);
    server.close();
  }));

test('a crash fails every invocation of the instance, and the next event gets a new one', () =>
  withLambda({ functions: [define('crashes', 20), define('where', 20)] }, async (lambda) => {
    const [other, crashed] = [lambda.invoke('crashes', {}), lambda.invoke('crashes', { crash: true })];
    const failure = { functionError: 'Unhandled', payload: { errorType: 'RangeError' } };
    expect(await other).toMatchObject(failure);
    expect(await crashed).toMatchObject(failure);
    expect(await lambda.invoke('crashes', { crash: true })).toMatchObject(failure);
    expect(await lambda.invoke('where', {})).toEqual({ payload: expect.any(Number) });
  }));

test('idle instances are stopped, and the next event starts one', () =>
  withLambda({ functions: [define('where', 20)], idleSeconds: 0.1 }, async (lambda) => {
    const { payload } = await lambda.invoke('where', {});
    await expect.poll(() => lambda.instances).toBe(0);
    expect((await lambda.invoke('where', {})).payload).not.toBe(payload);
  }));

test('a function gets an instance when another is invoked that leads to it, and keeps the one that it has', () =>
  withLambda(
    { functions: [define('where', 20), define('where', 20, 'next')], preparedWith: { where: ['next'] } },
    async (lambda) => {
      await lambda.invoke('where', {});
      expect(lambda.instances).toBe(2);
      const { payload } = await lambda.invoke('next', {});
      await lambda.invoke('where', {});
      expect(await lambda.invoke('next', {})).toEqual({ payload });
      expect(lambda.instances).toBe(2);
    },
  ));

test('an instance that was started ahead and is not used is stopped', () =>
  withLambda(
    {
      functions: [define('where', 20), define('where', 20, 'next')],
      preparedWith: { where: ['next'] },
      idleSeconds: 1,
    },
    async (lambda) => {
      await lambda.invoke('where', {});
      expect(lambda.instances).toBe(2);
      await expect.poll(() => lambda.instances, { timeout: 10_000 }).toBe(0);
      expect((await lambda.invoke('next', {})).payload).toEqual(expect.any(Number));
    },
  ));

test('over the limit of all instances, idle ones are stopped earlier', () =>
  withLambda(
    {
      functions: Array.from({ length: 9 }, (_, index) => define('where', 20, `where-${index}`)),
      overLimitIdleSeconds: 0.2,
    },
    async (lambda) => {
      await Promise.all(Array.from({ length: 9 }, (_, index) => lambda.invoke(`where-${index}`, {})));
      await expect.poll(() => lambda.instances).toBe(4);
    },
  ));

test('over the limit, a function that is invoked at regular intervals keeps its instance', () =>
  withLambda(
    {
      functions: Array.from({ length: 9 }, (_, index) => define('where', 20, `where-${index}`)),
      overLimitIdleSeconds: 0.2,
    },
    async (lambda) => {
      await lambda.invoke('where-0', {});
      await sleep(300);
      const { payload } = await lambda.invoke('where-0', {});
      await Promise.all(Array.from({ length: 8 }, (_, index) => lambda.invoke(`where-${index + 1}`, {})));
      await expect.poll(() => lambda.instances).toBe(4);
      expect((await lambda.invoke('where-0', {})).payload).toBe(payload);
    },
  ));

test('an instance whose credentials are about to expire gets no more invocations, and finishes those it has', async () => {
  let nowMs = 0;
  let started = 0;
  const credentialsOf = () => ({ environment: { SESSION: String(++started) }, retireAtMs: started * 1000 });
  await withLambda({ functions: [define('meets', 20)], credentialsOf, now: () => nowMs }, async (lambda) => {
    const threadOf = async () => ((await meet(lambda, 1)) as [string, number][])[0]![1];
    const first = await threadOf();
    expect(await threadOf()).toBe(first);
    const held: (() => void)[] = [];
    const server = createServer((_, response) => held.push(() => response.end('met')));
    const running = lambda.invoke('meets', { port: await listenOnLoopback(server) });
    await expect.poll(() => held.length).toBe(1);
    nowMs = 1000;
    const second = await threadOf();
    expect(second).not.toBe(first);
    expect(started).toBe(2);
    held[0]!();
    expect((await running).payload).toEqual(['met', first]);
    server.close();
    await expect.poll(() => lambda.instances).toBe(1);
  });
});
