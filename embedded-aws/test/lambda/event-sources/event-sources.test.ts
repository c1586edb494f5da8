import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StreamEntry } from '../../../src/dynamodb/storage/change-streams.ts';
import type { Policy } from '../../../src/iam/policy.ts';
import { type EventSourcesOptions, openEventSources } from '../../../src/lambda/event-sources/event-sources.ts';
import { TooManyRequests } from '../../../src/lambda/lambda-errors.ts';
import type { Invocation } from '../../../src/lambda/lambda-instance.ts';
import type { EventSourceMapping } from '../../../src/template/read-event-source-mappings.ts';
import { testClock } from '../../../src/testing/test-clock.ts';

const streamArn = 'arn:aws:dynamodb:local-1:000000000000:table/things/stream/2026-01-01T00:00:00.000';
const queueArn = 'arn:aws:sqs:local-1:000000000000:undelivered';
const functionArn = 'arn:aws:lambda:local-1:000000000000:function:dispatch';
const definition = { name: 'dispatch', arn: functionArn } as EventSourcesOptions['functions'][number];
const mapping: EventSourceMapping = {
  functionName: 'dispatch',
  streamArn,
  isEnabled: true,
  startingPosition: 'TRIM_HORIZON',
  batchSize: 4,
  batchingWindowSeconds: 0,
  parallelization: 1,
  bisects: false,
  maxRetries: Number.POSITIVE_INFINITY,
  maxAgeSeconds: 86_400,
  reportsItemFailures: false,
  onFailureQueueArn: queueArn,
  filters: [],
};
const failed: Invocation = {
  payload: { errorType: 'Error', errorMessage: 'no', trace: [] },
  functionError: 'Unhandled',
};

/** A stream with one shard in memory. Records have numbers, and their partition key decides their lane. */
function testStream() {
  const entries: StreamEntry[] = [];
  const listeners: ((entries: readonly StreamEntry[]) => void)[] = [];
  const read = vi.fn(async (_shardId: string, after: string | undefined, limit: number) =>
    entries.filter(({ sequence }) => after === undefined || sequence > after).slice(0, limit),
  );
  return {
    shardIds: ['shard'],
    read,
    latest: () => sequenceOf(entries.length),
    subscribe: (listener: (entries: readonly StreamEntry[]) => void) => void listeners.push(listener),
    /** Commits records with these sort keys together. */
    write(atMs: number, sks: readonly string[], more: { name?: 'INSERT' | 'MODIFY'; partition?: number } = {}): void {
      const { name = 'INSERT', partition = 0 } = more;
      const added = sks.map((sk, index): StreamEntry => {
        const sequence = sequenceOf(entries.length + index + 1);
        const Keys = { pk: { S: 'p' }, sk: { S: sk } };
        const dynamodb = {
          ApproximateCreationDateTime: Math.floor(atMs / 1000),
          Keys,
          NewImage: Keys,
          SequenceNumber: sequence,
          SizeBytes: 10,
          StreamViewType: 'NEW_IMAGE' as const,
        };
        const facts = { eventVersion: '1.1', eventSource: 'aws:dynamodb', awsRegion: 'local-1' } as const;
        const record = { eventID: sequence, eventName: name, ...facts, dynamodb };
        return { shardId: 'shard', sequence, atMs, partitionHash: partition << 8, record };
      });
      entries.push(...added);
      for (const listener of listeners) listener(added);
    },
  };
}

const sequenceOf = (number: number): string => `1${String(number).padStart(20, '0')}`;

type Delivered = { Records: StreamEntry['record'][] };
const sksOf = ({ Records }: Delivered): string => Records.map(({ dynamodb }) => dynamodb.Keys.sk!.S).join('');

let folder: string;
let stream: ReturnType<typeof testStream>;
let clock: ReturnType<typeof testClock>;
let close = async (): Promise<void> => {};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'event-sources-'));
  stream = testStream();
  clock = testClock();
});
afterEach(async () => {
  await close();
  close = async () => {};
  await rm(folder, { recursive: true });
});

const allowAll: Policy = () => true;

async function open(settings: Partial<EventSourceMapping> = {}, options: Partial<EventSourcesOptions> = {}) {
  const batches: string[] = [];
  const answer = vi.fn(async (_event: Delivered): Promise<Invocation> => ({ payload: null }));
  const sendRecord = vi.fn(async (..._: [string, string, string]) => {});
  const report = vi.fn();
  const sources = await openEventSources({
    path: join(folder, 'checkpoints.journal'),
    clock,
    sendRecord,
    report,
    mappings: [{ ...mapping, ...settings }],
    functions: [definition],
    stream: (arn) => (arn === streamArn ? stream : undefined),
    roleOf: () => ({ arn: 'role', policy: allowAll }),
    async invoke(_name, event) {
      batches.push(sksOf(event as Delivered));
      return answer(event as Delivered);
    },
    ...options,
  });
  close = sources.close;
  /** Moves the clock and returns the batches that were delivered since the last call. */
  const advance = async (ms = 0): Promise<string[]> => {
    clock.advance(ms);
    for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return batches.splice(0);
  };
  const write = (text: string, more: Parameters<typeof stream.write>[2] = {}) =>
    stream.write(clock.now(), [...text], more);
  const sent = () => sendRecord.mock.calls.map(([, , record]) => JSON.parse(record));
  return { sources, answer, sendRecord, report, advance, write, sent };
}

/** Answers that these records failed, as often as the function is invoked with one of them. */
const failing =
  (sks: string, how: 'throws' | 'reports') =>
  async (event: Delivered): Promise<Invocation> => {
    const bad = event.Records.filter(({ dynamodb }) => sks.includes(dynamodb.Keys.sk!.S as string));
    if (how === 'throws') return bad.length > 0 ? failed : { payload: null };
    const batchItemFailures = bad.map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber }));
    return { payload: { batchItemFailures } };
  };

test('records are delivered in order, in batches, when they are committed', async () => {
  const { sources, answer, advance, write } = await open();
  write('abcdef');
  expect(await advance()).toEqual([]);
  sources.start();
  expect(await advance()).toEqual(['abcd', 'ef']);
  write('g');
  expect(await advance()).toEqual(['g']);
  expect(answer.mock.lastCall![0]).toEqual({
    Records: [
      {
        eventID: expect.any(String),
        eventName: 'INSERT',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'local-1',
        dynamodb: expect.objectContaining({
          NewImage: { pk: { S: 'p' }, sk: { S: 'g' } },
          SequenceNumber: sequenceOf(7),
        }),
        eventSourceARN: streamArn,
      },
    ],
  });
});

test('nothing runs and nothing is read while there are no records', async () => {
  const { sources, advance, write } = await open({ filters: [{ eventName: ['INSERT'] }] });
  sources.start();
  await advance();
  stream.read.mockClear();
  expect(clock.nextInMs()).toBe(undefined);
  // A commit that no filter matches costs no read.
  write('a', { name: 'MODIFY' });
  expect(await advance(3_600_000)).toEqual([]);
  expect(stream.read).not.toHaveBeenCalled();
  write('b');
  expect(await advance()).toEqual(['b']);
});

test('only records that match one of the filters are delivered', async () => {
  const sk = (prefix: string) => ({ dynamodb: { NewImage: { sk: { S: [{ prefix }] } } } });
  const { sources, advance, write } = await open({ filters: [{ eventName: ['INSERT'], ...sk('a') }, sk('b')] });
  sources.start();
  write('xa');
  write('ab', { name: 'MODIFY' });
  write('y');
  expect((await advance()).join('')).toBe('ab');
});

test('a batching window collects records until it ends or the batch is full', async () => {
  const { sources, advance, write } = await open({ batchingWindowSeconds: 10 });
  sources.start();
  write('a');
  await advance();
  expect(await advance(6000)).toEqual([]);
  write('b');
  expect(await advance(3999)).toEqual([]);
  expect(await advance(1)).toEqual(['ab']);
  write('cd');
  await advance();
  await advance(1000);
  write('efg');
  expect(await advance()).toEqual(['cdef']);
  await advance();
  expect(await advance(10_000)).toEqual(['g']);
});

test('a batch has at most 6 MB', async () => {
  const { sources, advance } = await open({ batchSize: 100 });
  stream.write(clock.now(), ['a'.repeat(2_000_000), 'b'.repeat(2_000_000), 'c']);
  sources.start();
  expect((await advance()).map((text) => text.length)).toEqual([2_000_000, 2_000_001]);
});

test('a batch that fails is retried with longer and longer delays, and blocks its shard', async () => {
  const { sources, answer, advance, write } = await open({ maxRetries: 2 });
  answer.mockImplementation(failing('b', 'throws'));
  sources.start();
  write('ab');
  expect(await advance()).toEqual(['ab']);
  write('c');
  expect(await advance(999)).toEqual([]);
  expect(await advance(1)).toEqual(['ab']);
  expect(await advance(1999)).toEqual([]);
  expect(await advance(1)).toEqual(['ab', 'c']);
});

test('what is given up goes to the queue with its place in the stream', async () => {
  const { sources, answer, advance, write, sendRecord, sent } = await open({ maxRetries: 0 });
  answer.mockImplementation(failing('b', 'throws'));
  sources.start();
  write('ab');
  await advance();
  expect(sendRecord.mock.calls[0]!.slice(0, 2)).toEqual([queueArn, 'dispatch']);
  const at = new Date(clock.now()).toISOString();
  expect(sent()).toEqual([
    {
      requestContext: {
        requestId: expect.any(String),
        functionArn: `${functionArn}:$LATEST`,
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: 1,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: at,
      DDBStreamBatchInfo: {
        shardId: 'shard',
        startSequenceNumber: sequenceOf(1),
        endSequenceNumber: sequenceOf(2),
        approximateArrivalOfFirstRecord: at,
        approximateArrivalOfLastRecord: at,
        batchSize: 2,
        streamArn,
      },
    },
  ]);
});

test('a split isolates the record that fails, without using its retries', async () => {
  const { sources, answer, advance, write, sent } = await open({ maxRetries: 1, bisects: true });
  answer.mockImplementation(failing('c', 'throws'));
  sources.start();
  write('abcd');
  expect(await advance()).toEqual(['abcd', 'ab', 'cd', 'c']);
  expect(await advance(1000)).toEqual(['c', 'd']);
  expect(sent().map(({ DDBStreamBatchInfo: info }) => [info.startSequenceNumber, info.batchSize])).toEqual([
    [sequenceOf(3), 1],
  ]);
});

test('a reported record and those after it are retried', async () => {
  const { sources, answer, advance, write } = await open({ reportsItemFailures: true });
  answer.mockImplementationOnce(failing('cd', 'reports'));
  sources.start();
  write('abcd');
  expect(await advance()).toEqual(['abcd']);
  expect(await advance(1000)).toEqual(['cd']);
});

test('with splits, a batch is split at the reported record', async () => {
  const { sources, answer, advance, write } = await open({ reportsItemFailures: true, bisects: true, maxRetries: 0 });
  answer.mockImplementation(failing('c', 'reports'));
  sources.start();
  write('abcd');
  expect(await advance()).toEqual(['abcd', 'cd', 'c', 'd']);
});

test.each([
  [null, 1],
  [{}, 1],
  [{ batchItemFailures: null }, 1],
  [{ batchItemFailures: [] }, 1],
  [{ batchItemFailures: [{ itemIdentifier: '' }] }, 2],
  [{ batchItemFailures: [{ itemIdentifier: 'unknown' }] }, 2],
  [{ batchItemFailures: [{}] }, 2],
  [{ batchItemFailures: [{ itemIdentifier: sequenceOf(2) }, { itemIdentifier: null }] }, 2],
  [{ batchItemFailures: 'all' }, 2],
])('the response %j means that the batch is delivered %i times', async (payload, times) => {
  const { sources, answer, advance, write } = await open({ reportsItemFailures: true });
  answer.mockResolvedValueOnce({ payload });
  sources.start();
  write('ab');
  await advance();
  await advance(1000);
  expect(answer.mock.calls.map(([event]) => sksOf(event))).toEqual(Array(times).fill('ab'));
});

test('records that are too old are given up before their next delivery', async () => {
  const { sources, answer, advance, write, sent } = await open({ maxAgeSeconds: 60 });
  answer.mockImplementation(failing('a', 'throws'));
  write('ab');
  sources.start();
  await advance(40_000);
  write('c');
  for (let seconds = 0; seconds < 60; seconds += 1) await advance(1000);
  expect(answer.mock.lastCall!.map(sksOf)).toEqual(['c']);
  expect(sent()).toMatchObject([
    { requestContext: { condition: 'RecordAgeExceeded' }, DDBStreamBatchInfo: { batchSize: 2 } },
  ]);
  expect(sent()[0]).not.toHaveProperty('responseContext');
});

test('a throttled batch is tried again and uses no retries', async () => {
  const { sources, answer, advance, write, sent } = await open({ maxRetries: 0 });
  answer.mockRejectedValueOnce(new TooManyRequests()).mockRejectedValueOnce(new TooManyRequests());
  sources.start();
  write('a');
  await advance();
  await advance(1000);
  await advance(2000);
  expect(answer).toHaveBeenCalledTimes(3);
  expect(sent()).toEqual([]);
});

test('lanes of a shard deliver side by side, each in its order', async () => {
  const { sources, answer, advance, write } = await open({ parallelization: 2 });
  const blocked = Promise.withResolvers<Invocation>();
  answer.mockImplementationOnce(() => blocked.promise);
  sources.start();
  write('a', { partition: 0 });
  write('b', { partition: 1 });
  expect(await advance()).toEqual(['a', 'b']);
  write('c', { partition: 0 });
  write('d', { partition: 1 });
  expect(await advance()).toEqual(['d']);
  blocked.resolve({ payload: null });
  expect(await advance()).toEqual(['c']);
});

test('after a kill delivery continues at the checkpoint, and an unfinished batch comes again', async () => {
  const first = await open({ batchSize: 1 });
  first.answer.mockResolvedValueOnce({ payload: null }).mockImplementation(() => new Promise(() => {}));
  first.sources.start();
  first.write('abc');
  expect(await first.advance()).toEqual(['a', 'b']);
  // The killed process closes nothing.
  await expect.poll(() => readFile(join(folder, 'checkpoints.journal'), 'utf8')).toContain(sequenceOf(1));
  const killed = first.sources;
  const second = await open({ batchSize: 2 });
  second.sources.start();
  expect(await second.advance()).toEqual(['bc']);
  await killed.close();
});

test('a function that the shutdown interrupts has not failed', async () => {
  const { sources, answer, advance, write, sent } = await open({ maxRetries: 0 });
  const interrupted = Promise.withResolvers<Invocation>();
  answer.mockImplementationOnce(() => interrupted.promise);
  sources.start();
  write('a');
  await advance();
  await close();
  interrupted.resolve(failed);
  await advance(10_000);
  expect(sent()).toEqual([]);
});

test('a read that fails is repeated a minute later, and not after the end', async () => {
  const { sources, advance, write, report } = await open();
  stream.read.mockRejectedValueOnce(new Error('disk'));
  sources.start();
  write('a');
  expect(await advance()).toEqual([]);
  expect(report).toHaveBeenCalledTimes(1);
  expect(await advance(60_000)).toEqual(['a']);
  stream.read.mockRejectedValueOnce(new Error('disk'));
  write('b');
  await advance();
  await close();
  await advance(60_000);
  stream.read.mockClear();
  write('c');
  expect(await advance(60_000)).toEqual([]);
  expect(stream.read).not.toHaveBeenCalled();
});

test('another parallelization factor starts where the slowest lane was', async () => {
  const first = await open({ parallelization: 2 });
  first.answer.mockImplementation(async (event) =>
    sksOf(event).includes('b') ? new Promise(() => {}) : { payload: null },
  );
  first.sources.start();
  first.write('a', { partition: 0 });
  first.write('x', { partition: 1 });
  await first.advance();
  first.write('b', { partition: 0 });
  first.write('c', { partition: 1 });
  await first.advance();
  await close();
  const second = await open({ parallelization: 1 });
  second.sources.start();
  expect((await second.advance()).join('')).toMatch(/bc$/);
});

test('LATEST starts with the records after the first start, TRIM_HORIZON with the oldest one', async () => {
  stream.write(clock.now(), ['a']);
  const latest = await open({ startingPosition: 'LATEST' });
  latest.write('b');
  await close();
  const reopened = await open({ startingPosition: 'LATEST' });
  reopened.sources.start();
  expect(await reopened.advance()).toEqual(['b']);
});

test('chaos: a batch is delivered twice', async () => {
  const { sources, advance, write } = await open({}, { chaos: { duplicatedShare: 0.5 }, random: () => 0.4 });
  sources.start();
  write('ab');
  expect(await advance()).toEqual(['ab', 'ab']);
  expect(await advance(60_000)).toEqual([]);
});

test.each([
  ['dynamodb:GetRecords', 'dynamodb:GetRecords'],
  ['dynamodb:ListStreams', 'dynamodb:ListStreams'],
  ['sqs:SendMessage', 'sqs:SendMessage'],
])('a role without %s is refused', async (missing, named) => {
  const policy: Policy = ({ action }) => action !== missing;
  await expect(open({}, { roleOf: () => ({ arn: 'role', policy }) })).rejects.toThrow(named);
});

test('dynamodb:ListStreams has to be allowed for all resources, because it supports none', async () => {
  const policy: Policy = ({ action, resource }) => action !== 'dynamodb:ListStreams' || resource !== '*';
  await expect(open({}, { roleOf: () => ({ arn: 'role', policy }) })).rejects.toThrow('dynamodb:ListStreams');
});

test('an unknown stream or function is refused', async () => {
  await expect(open({ streamArn: 'arn:aws:dynamodb:x' })).rejects.toThrow('Stream not found');
  await expect(open({ functionName: 'other' })).rejects.toThrow('Function not found');
});
