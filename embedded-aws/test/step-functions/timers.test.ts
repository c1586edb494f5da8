import { expect, test } from 'vitest';
import { testClock } from '../../src/testing/test-clock.ts';
import { endOf, invokeAndWait, open, start, temporaryFolder, until } from './fixture.ts';

type Held = { token: string };

/** A state machine with one task that waits for its token, and the tokens. */
async function openWaiting(task: object, clock = testClock(), folder?: string, machine: object = {}) {
  const tokens: string[] = [];
  const states = await open({
    definition: { StartAt: 'Work', States: { Work: invokeAndWait('enqueue', { End: true, ...task }) }, ...machine },
    functions: { enqueue: ({ token }: Held) => void tokens.push(token) },
    now: clock.now,
    wakeAt: clock.wakeAt,
    ...(folder !== undefined && { folder }),
  });
  return { states, tokens, clock };
}

const mapOf = (more: object) => ({
  Type: 'Map',
  Items: [1],
  ItemProcessor: { StartAt: 'Pass', States: { Pass: { Type: 'Pass', End: true } } },
  End: true,
  ...more,
});

test('Wait ends after Seconds, and at Timestamp', async () => {
  const clock = testClock(Date.parse('2026-01-01T00:00:00Z'));
  const states = await open({
    definition: {
      StartAt: 'Some',
      States: {
        Some: { Type: 'Wait', Seconds: '{% $states.input.s %}', Next: 'Till' },
        Till: { Type: 'Wait', Timestamp: "{% $states.input.day & 'T00:01:00Z' %}", End: true },
      },
    },
    now: clock.now,
    wakeAt: clock.wakeAt,
  });
  const arn = await start(states, { s: 20, day: '2026-01-01' });
  await until(() => clock.nextInMs() === 20_000);
  clock.advance(20_000);
  await until(() => clock.nextInMs() === 40_000);
  clock.advance(40_000);
  expect(await endOf(states, arn)).toMatchObject({ status: 'SUCCEEDED' });
});

test.each([
  ['Seconds', { Type: 'Wait', Seconds: '{% $states.input.n %}', End: true }],
  ['TimeoutSeconds', invokeAndWait('enqueue', { TimeoutSeconds: '{% $states.input.n %}', End: true })],
  ['HeartbeatSeconds', invokeAndWait('enqueue', { HeartbeatSeconds: '{% $states.input.n %}', End: true })],
  ['MaxConcurrency', mapOf({ MaxConcurrency: '{% $states.input.n %}' })],
])('%s accepts whole numbers only', async (field, state) => {
  const states = await open({ definition: { StartAt: 'One', States: { One: state } } });
  expect(await endOf(states, await start(states, { n: 1.5 }))).toEqual({
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `The field '${field}' must be an integer, not 1.5.`,
  });
});

test('the heartbeat timeout starts when the task is scheduled, and again at each heartbeat', async () => {
  const { states, tokens, clock } = await openWaiting({ HeartbeatSeconds: 45 });
  const arn = await start(states);
  const taskToken = await until(() => tokens[0]);
  clock.advance(44_000);
  await states.call('SendTaskHeartbeat', { taskToken });
  clock.advance(44_999);
  expect(clock.nextInMs()).toBe(1);
  clock.advance(1);
  expect(await endOf(states, arn)).toEqual({ status: 'FAILED', error: 'States.HeartbeatTimeout' });
  await expect(states.call('SendTaskHeartbeat', { taskToken })).rejects.toMatchObject({ name: 'TaskTimedOut' });
});

test('TimeoutSeconds ends a task even with heartbeats', async () => {
  const { states, tokens, clock } = await openWaiting({ HeartbeatSeconds: 45, TimeoutSeconds: 60 });
  const arn = await start(states);
  const taskToken = await until(() => tokens[0]);
  clock.advance(40_000);
  await states.call('SendTaskHeartbeat', { taskToken });
  clock.advance(20_000);
  expect(await endOf(states, arn)).toEqual({ status: 'FAILED', error: 'States.Timeout' });
});

test('TimeoutSeconds of the state machine ends the execution as TIMED_OUT', async () => {
  const { states, tokens, clock } = await openWaiting({}, testClock(), undefined, { TimeoutSeconds: 100 });
  const arn = await start(states);
  await until(() => tokens[0]);
  clock.advance(100_000);
  expect(await endOf(states, arn)).toEqual({ status: 'TIMED_OUT', error: 'States.Timeout' });
});

test('after a restart the remaining time of a timeout is the same', async () => {
  const folder = await temporaryFolder();
  const first = await openWaiting({ HeartbeatSeconds: 45 }, testClock(), folder);
  const arn = await start(first.states);
  const taskToken = await until(() => first.tokens[0]);
  first.clock.advance(10_000);
  await first.states.call('SendTaskHeartbeat', { taskToken });
  first.clock.advance(10_000);
  await first.states.close();

  const second = await openWaiting({ HeartbeatSeconds: 45 }, testClock(first.clock.now()), folder);
  await until(() => second.clock.nextInMs() === 35_000);
  second.clock.advance(35_000);
  expect(await endOf(second.states, arn)).toEqual({ status: 'FAILED', error: 'States.HeartbeatTimeout' });
  expect(second.tokens).toEqual([]);
});

test('the name of an ended execution can be used again after 90 days', async () => {
  const clock = testClock(Date.parse('2026-01-01T00:00:00Z'));
  const definition = { StartAt: 'P', States: { P: { Type: 'Succeed' } } };
  const states = await open({ definition, now: clock.now, wakeAt: clock.wakeAt });
  const arn = await start(states, {}, 'video');
  await endOf(states, arn);
  clock.advance(90 * 24 * 3600 * 1000);
  await expect(start(states, {}, 'video')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
  clock.advance(1);
  expect(await start(states, {}, 'video')).toBe(arn);
});
