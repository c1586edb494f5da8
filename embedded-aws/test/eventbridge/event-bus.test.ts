import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EventChaos, openEventBus } from '../../src/eventbridge/event-bus.ts';
import { rateMs } from '../../src/eventbridge/schedule-expression.ts';
import { matchesPattern } from '../../src/template/event-pattern.ts';
import type { RuleDefinition, RuleTarget } from '../../src/template/read-rules.ts';
import { testClock } from '../../src/testing/test-clock.ts';

const machineArn = 'arn:aws:states:local-1:000000000000:stateMachine:encode';
const functionArn = 'arn:aws:lambda:local-1:000000000000:function:reap';
const queueArn = 'arn:aws:sqs:local-1:000000000000:dead';
const ruleArn = 'arn:aws:events:local-1:000000000000:rule/rule';
const uploaded = {
  source: ['aws.s3'],
  'detail-type': ['Object Created'],
  detail: {
    bucket: { name: ['media'] },
    object: { key: [{ prefix: 'uploads/' }] },
    reason: ['CompleteMultipartUpload', 'POST Object'],
  },
};
const target = (more: Partial<RuleTarget> = {}): RuleTarget => ({
  id: 'Target0',
  arn: machineArn,
  input: undefined,
  roleArn: 'arn:aws:iam::000000000000:role/events',
  maxRetries: 185,
  maxAgeSeconds: 86_400,
  deadLetterArn: undefined,
  permitted: true,
  ...more,
});
const rule = (more: Partial<RuleDefinition>): RuleDefinition => ({
  name: 'rule',
  busName: 'default',
  arn: ruleArn,
  enabled: true,
  pattern: undefined,
  schedule: undefined,
  targets: [target()],
  ...more,
});
const stored = {
  bucket: 'media',
  key: 'uploads/a/b/c.mp4',
  size: 7,
  etag: 'e-1',
  reason: 'CompleteMultipartUpload',
  time: '2026-11-21T10:00:00.123Z',
  sequencer: '0001',
} as const;

let folder: string;
let close = async () => {};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'event-bus-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await close();
  await rm(folder, { recursive: true });
});

type Options = { isEnabled?: (name: string) => boolean; chaos?: EventChaos; random?: () => number };

/** An event bus whose deliveries are made when the clock is advanced. */
async function open(rules: RuleDefinition[], { isEnabled = () => true, chaos, random = () => 1 }: Options = {}) {
  const clock = testClock();
  const startExecution = vi.fn(async (..._: string[]) => {});
  const invokeLambda = vi.fn(async (_arn: string, _event: unknown) => {});
  const sendDeadLetter = vi.fn(async (..._: unknown[]) => {});
  const report = vi.fn();
  const events = await openEventBus({
    path: join(folder, 'events.journal'),
    clock,
    random,
    rules,
    isEnabled,
    region: 'local-1',
    accountId: '000000000000',
    startExecution,
    invokeLambda,
    sendDeadLetter,
    report,
    chaos,
  });
  close = events.close;
  const advance = async (ms = 0): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { events, startExecution, invokeLambda, sendDeadLetter, report, advance };
}

test('an object that matches the rule starts its state machine with the event of AWS', async () => {
  const { events, startExecution, advance } = await open([rule({ pattern: uploaded })]);
  await events.objectCreated(stored);
  await advance();
  const [arn, name, input, roleArn] = startExecution.mock.calls[0]!;
  expect([arn, startExecution.mock.calls.length]).toEqual([machineArn, 1]);
  expect(roleArn).toBe('arn:aws:iam::000000000000:role/events');
  expect(JSON.parse(input!)).toEqual({
    version: '0',
    id: name,
    'detail-type': 'Object Created',
    source: 'aws.s3',
    account: '000000000000',
    time: '2026-11-21T10:00:00Z',
    region: 'local-1',
    resources: ['arn:aws:s3:::media'],
    detail: {
      version: '0',
      bucket: { name: 'media' },
      object: { key: 'uploads/a/b/c.mp4', size: 7, etag: 'e-1', sequencer: '0001' },
      'request-id': expect.stringMatching(/^[0-9A-F]{16}$/),
      requester: '000000000000',
      'source-ip-address': '127.0.0.1',
      reason: 'CompleteMultipartUpload',
    },
  });
});

test('a repeated delivery has the same event id, another object another one', async () => {
  const { events, startExecution, advance } = await open([rule({ pattern: uploaded })]);
  for (const sequencer of ['0001', '0001', '0002']) {
    await events.objectCreated({ ...stored, sequencer });
    await advance();
  }
  const [first, again, other] = startExecution.mock.calls.map(([, name]) => name);
  expect([first === again, first === other]).toEqual([true, false]);
});

test('a disabled rule delivers nothing until it is enabled again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const off = new Set(['uploaded', 'clock']);
  const rules = [
    rule({ name: 'uploaded', pattern: uploaded }),
    rule({ name: 'clock', schedule: 'rate(1 minute)', targets: [target({ arn: functionArn })] }),
  ];
  const { events, startExecution, invokeLambda, advance } = await open(rules, { isEnabled: (name) => !off.has(name) });
  events.startSchedules();
  await events.objectCreated(stored);
  vi.advanceTimersByTime(60_000);
  await advance();
  expect([startExecution, invokeLambda].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  off.clear();
  await events.objectCreated({ ...stored, sequencer: '0002' });
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(async () => {
    await advance();
    expect([startExecution, invokeLambda].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });
});

test('an event of a bus reaches only the rules of this bus', async () => {
  const pattern = { source: [{ prefix: '' }] };
  const own = rule({ name: 'own|rule', busName: 'own', pattern });
  const { events, startExecution, advance } = await open([rule({ name: 'other', pattern }), own]);
  await events.publishTo('own', { id: 'event', source: 'video' } as { id: string });
  await advance();
  expect(startExecution.mock.calls.map(([, name]) => name)).toEqual(['event']);
  await events.objectCreated(stored);
  await advance();
  expect(startExecution).toHaveBeenCalledTimes(2);
});

test.each([
  ['key', { key: 'videos/a.m4s' }],
  ['reason', { reason: 'CopyObject' as const }],
  ['bucket', { bucket: 'other' }],
])('an object with another %s starts nothing', async (_, more) => {
  const { events, startExecution, advance } = await open([rule({ pattern: uploaded })]);
  await events.objectCreated({ ...stored, ...more });
  await advance();
  expect(startExecution).not.toHaveBeenCalled();
});

test('a target that fails is tried again with exponential back-off', async () => {
  const { events, startExecution, advance } = await open([rule({ pattern: uploaded })]);
  startExecution.mockRejectedValue(new Error('busy'));
  await events.objectCreated(stored);
  await advance();
  const calls: number[] = [];
  for (const ms of [999, 1, 2000, 3999, 1]) {
    await advance(ms);
    calls.push(startExecution.mock.calls.length);
  }
  expect(calls).toEqual([1, 2, 3, 3, 4]);
});

test('an event survives a restart until its target has accepted it', async () => {
  const first = await open([rule({ pattern: uploaded })]);
  first.startExecution.mockRejectedValue(new Error('busy'));
  await first.events.objectCreated(stored);
  await first.advance();
  await first.events.close();
  const second = await open([rule({ pattern: uploaded })]);
  await second.advance(1000);
  expect(second.startExecution.mock.calls).toEqual(first.startExecution.mock.calls);
  await second.events.close();
  const third = await open([rule({ pattern: uploaded })]);
  await third.advance(600_000);
  expect(third.startExecution).not.toHaveBeenCalled();
});

test.each([
  ['after its retries', { maxRetries: 1 }, 'MaximumRetryAttempts', '1'],
  ['at its maximum age', { maxAgeSeconds: 60 }, 'MaximumEventAgeInSeconds', '5'],
])('an undeliverable event goes to the dead-letter queue %s', async (_, policy, condition, retries) => {
  const targets = [target({ ...policy, deadLetterArn: queueArn })];
  const { events, startExecution, sendDeadLetter, advance } = await open([rule({ pattern: uploaded, targets })]);
  startExecution.mockRejectedValue(Object.assign(new Error('too many'), { name: 'ExecutionLimitExceeded' }));
  await events.objectCreated(stored);
  for (let second = 0; second < 90; second += 1) await advance(1000);
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  expect(sendDeadLetter.mock.calls).toEqual([
    [
      queueArn,
      ruleArn,
      startExecution.mock.calls[0]![2],
      {
        RULE_ARN: text(ruleArn),
        TARGET_ARN: text(machineArn),
        ERROR_CODE: text('THROTTLING'),
        ERROR_MESSAGE: text('too many'),
        RETRY_ATTEMPTS: text(retries),
        EXHAUSTED_RETRY_CONDITION: text(condition),
      },
    ],
  ]);
  expect(startExecution.mock.calls.length).toBe(Number(retries) + 1);
});

test.each([
  ['a missing permission', target({ arn: functionArn, permitted: false }), 'NO_PERMISSIONS'],
  ['a missing role', target({ roleArn: undefined }), 'NO_PERMISSIONS'],
])('%s is not retried', async (_, missing, code) => {
  const targets = [{ ...missing, deadLetterArn: queueArn }];
  const { events, sendDeadLetter, startExecution, invokeLambda, advance } = await open([
    rule({ pattern: uploaded, targets }),
  ]);
  await events.objectCreated(stored);
  await advance();
  const [[, , , attributes]] = sendDeadLetter.mock.calls as [[string, string, string, object]];
  expect(attributes).toMatchObject({ ERROR_CODE: { StringValue: code }, RETRY_ATTEMPTS: { StringValue: '0' } });
  expect([startExecution, invokeLambda].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});

test('without a dead-letter queue an undeliverable event is dropped and reported', async () => {
  const targets = [target({ maxRetries: 0 })];
  const { events, startExecution, sendDeadLetter, report, advance } = await open([
    rule({ pattern: uploaded, targets }),
  ]);
  startExecution.mockRejectedValue(new Error('busy'));
  await events.objectCreated(stored);
  await advance();
  await advance(600_000);
  expect([startExecution, sendDeadLetter, report].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
});

test('an execution that a lost answer hid is not started again', async () => {
  const { events, startExecution, report, advance } = await open([rule({ pattern: uploaded })]);
  startExecution.mockRejectedValue(Object.assign(new Error('exists'), { name: 'ExecutionAlreadyExists' }));
  await events.objectCreated(stored);
  await advance();
  await advance(600_000);
  expect([startExecution, report].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
});

test('a schedule invokes its function at the start and at each interval, also after a failure', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const targets = [target({ arn: functionArn, maxRetries: 0 })];
  const { events, invokeLambda, report, advance } = await open([rule({ schedule: 'rate(1 minute)', targets })]);
  const calls = (count: number) =>
    vi.waitFor(async () => {
      await advance();
      expect(invokeLambda.mock.calls).toHaveLength(count);
    });
  invokeLambda.mockRejectedValueOnce(new Error('no'));
  events.startSchedules();
  await calls(1);
  vi.advanceTimersByTime(60_000);
  await calls(2);
  vi.advanceTimersByTime(60_000);
  await calls(3);
  expect(invokeLambda).toHaveBeenLastCalledWith(
    functionArn,
    expect.objectContaining({ 'detail-type': 'Scheduled Event' }),
  );
  expect(report).toHaveBeenCalledTimes(1);
});

test('schedules start one after another, in each interval too', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  const scheduled = (name: string) =>
    rule({ name, schedule: 'rate(1 minute)', targets: [target({ arn: functionArn, input: `"${name}"` })] });
  const { events, invokeLambda, advance } = await open(['first', 'second', 'third'].map(scheduled));
  const waitForEvents = (...names: string[]) =>
    vi.waitFor(async () => {
      await advance();
      expect(invokeLambda.mock.calls.map(([, event]) => event)).toEqual(names);
    });
  events.startSchedules();
  await waitForEvents('first');
  vi.advanceTimersByTime(1000);
  await waitForEvents('first', 'second');
  vi.advanceTimersByTime(1000);
  await waitForEvents('first', 'second', 'third');
  vi.advanceTimersByTime(58_000);
  await waitForEvents('first', 'second', 'third', 'first');
  vi.advanceTimersByTime(1000);
  await waitForEvents('first', 'second', 'third', 'first', 'second');
});

test('a constant input replaces the event', async () => {
  const { events, invokeLambda, advance } = await open([
    rule({ pattern: uploaded, targets: [target({ arn: functionArn, input: '{"a":1}' })] }),
  ]);
  await events.objectCreated(stored);
  await advance();
  expect(invokeLambda).toHaveBeenCalledWith(functionArn, { a: 1 });
});

test('with chaos an event is late, and delivered twice in two executions', async () => {
  const chaos = { duplicatedShare: 0.6, maxDelayMs: 1000 };
  const { events, startExecution, advance } = await open([rule({ pattern: uploaded })], { chaos, random: () => 0.5 });
  await events.objectCreated(stored);
  await advance(499);
  expect(startExecution).not.toHaveBeenCalled();
  await advance(1);
  const [[, name, input], [, otherName, otherInput]] = startExecution.mock.calls as [string[], string[]];
  expect([input === otherInput, otherName]).toEqual([true, `${name}_1`]);
});

const event = { a: { key: 'uploads/x.mp4', n: 5 }, list: ['one', 'two'] };
test.each([
  [{ a: { key: ['uploads/x.mp4'] } }, true],
  [{ a: { key: ['x', { suffix: '.mp4' }] } }, true],
  [{ a: { key: [{ prefix: 'videos/' }] } }, false],
  [{ a: { n: [5] } }, true],
  [{ a: { n: ['5'] } }, false],
  [{ a: { key: [{ 'anything-but': 'uploads/x.mp4' }] } }, false],
  [{ a: { key: [{ 'anything-but': { prefix: 'videos/' } }] } }, true],
  [{ a: { key: [{ 'equals-ignore-case': 'UPLOADS/X.MP4' }] } }, true],
  [{ a: { other: [{ exists: false }] } }, true],
  [{ a: { key: [{ exists: false }] } }, false],
  [{ absent: { key: ['x'] } }, false],
  [{ list: ['two'] }, true],
])('pattern %j matches: %j', (pattern, expected) => {
  expect(matchesPattern(pattern, event)).toBe(expected);
});

test('an unknown matcher or schedule is an error', () => {
  expect(() => matchesPattern({ a: { n: [{ numeric: ['>', 1] }] } }, event)).toThrow(
    'does not support the matcher "numeric"',
  );
  expect(() => rateMs('cron(0 1 * * ? *)')).toThrow('does not support the schedule cron(0 1 * * ? *)');
  expect(rateMs('rate(15 minutes)')).toBe(900_000);
});
