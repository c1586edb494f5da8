import { afterEach, expect, test, vi } from 'vitest';
import { openEventBus } from '../../../../infra/embedded-aws/eventbridge/event-bus.ts';
import { matchesPattern } from '../../../../infra/embedded-aws/eventbridge/event-pattern.ts';
import { rateMs } from '../../../../infra/embedded-aws/eventbridge/schedule-expression.ts';
import type { RuleDefinition } from '../../../../infra/embedded-aws/template/read-rules.ts';

const machineArn = 'arn:aws:states:local-1:000000000000:stateMachine:encode';
const functionArn = 'arn:aws:lambda:local-1:000000000000:function:reap';
const uploaded = {
  source: ['aws.s3'],
  'detail-type': ['Object Created'],
  detail: {
    bucket: { name: ['media'] },
    object: { key: [{ prefix: 'uploads/' }] },
    reason: ['CompleteMultipartUpload', 'PostObject'],
  },
};
const rule = (more: Partial<RuleDefinition>): RuleDefinition => ({
  name: 'rule',
  arn: 'arn:aws:events:local-1:000000000000:rule/rule',
  enabled: true,
  pattern: undefined,
  schedule: undefined,
  targets: [{ arn: machineArn, input: undefined, permitted: true }],
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

let close = () => {};
afterEach(() => {
  close();
  vi.useRealTimers();
});

function open(rules: RuleDefinition[], isEnabled = (_: string) => true) {
  const startExecution = vi.fn(async () => {});
  const invokeLambda = vi.fn(async () => {});
  const report = vi.fn();
  const events = openEventBus({
    rules,
    isEnabled,
    region: 'local-1',
    accountId: '000000000000',
    startExecution,
    invokeLambda,
    report,
  });
  close = events.close;
  return { events, startExecution, invokeLambda, report };
}

test('an object that matches the rule starts its state machine with the event of AWS', async () => {
  const { events, startExecution } = open([rule({ pattern: uploaded })]);
  await events.objectCreated(stored);
  const [arn, name, input] = startExecution.mock.calls[0] as unknown as [string, string, string];
  expect([arn, startExecution.mock.calls.length]).toEqual([machineArn, 1]);
  expect(JSON.parse(input)).toEqual({
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
  const { events, startExecution } = open([rule({ pattern: uploaded })]);
  for (const sequencer of ['0001', '0001', '0002']) await events.objectCreated({ ...stored, sequencer });
  const [first, again, other] = startExecution.mock.calls.map((call) => (call as unknown[])[1]);
  expect([first === again, first === other]).toEqual([true, false]);
});

test('a disabled rule delivers nothing until it is enabled again', async () => {
  vi.useFakeTimers();
  const off = new Set(['uploaded', 'clock']);
  const rules = [
    rule({ name: 'uploaded', pattern: uploaded }),
    rule({
      name: 'clock',
      schedule: 'rate(1 minute)',
      targets: [{ arn: functionArn, input: undefined, permitted: true }],
    }),
  ];
  const { events, startExecution, invokeLambda } = open(rules, (name) => !off.has(name));
  events.startSchedules();
  await events.objectCreated(stored);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([startExecution, invokeLambda].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  off.clear();
  await events.objectCreated({ ...stored, sequencer: '0002' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([startExecution, invokeLambda].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test.each([
  ['key', { key: 'videos/a.m4s' }],
  ['reason', { reason: 'CopyObject' as const }],
  ['bucket', { bucket: 'other' }],
])('an object with another %s starts nothing', async (_, more) => {
  const { events, startExecution } = open([rule({ pattern: uploaded })]);
  await events.objectCreated({ ...stored, ...more });
  expect(startExecution).not.toHaveBeenCalled();
});

test('a delivery fails if a target fails, so that the store repeats it', async () => {
  const { events, startExecution } = open([rule({ pattern: uploaded })]);
  startExecution.mockRejectedValueOnce(new Error('busy'));
  await expect(events.objectCreated(stored)).rejects.toThrow('busy');
  await events.objectCreated(stored);
});

test('a schedule invokes its function at the start and at each interval, also after a failure', async () => {
  vi.useFakeTimers();
  const targets = [{ arn: functionArn, input: undefined, permitted: true }];
  const { events, invokeLambda, report } = open([rule({ schedule: 'rate(1 minute)', targets })]);
  invokeLambda.mockRejectedValueOnce(new Error('no'));
  events.startSchedules();
  await vi.advanceTimersByTimeAsync(150_000);
  expect(invokeLambda.mock.calls).toHaveLength(3);
  expect(invokeLambda).toHaveBeenLastCalledWith(
    functionArn,
    expect.objectContaining({ 'detail-type': 'Scheduled Event' }),
  );
  expect(report).toHaveBeenCalledTimes(1);
});

test('a constant input replaces the event', async () => {
  const { events, invokeLambda } = open([
    rule({ pattern: uploaded, targets: [{ arn: functionArn, input: '{"a":1}', permitted: true }] }),
  ]);
  await events.objectCreated(stored);
  expect(invokeLambda).toHaveBeenCalledWith(functionArn, { a: 1 });
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
