import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextRetry, retryDelaySeconds } from '../../src/step-functions/definition/retry-delay.ts';
import { testClock } from '../../src/testing/test-clock.ts';
import { describeExecution, endOf, invoke, named, open, run, start, until } from './fixture.ts';

test('the delays of a retrier grow by its BackoffRate up to MaxDelaySeconds', () => {
  const retrier = { ErrorEquals: ['States.ALL'], IntervalSeconds: 2, BackoffRate: 3, MaxDelaySeconds: 20 };
  expect([1, 2, 3, 4].map((attempt) => retryDelaySeconds(retrier, attempt, 0))).toEqual([2, 6, 18, 20]);
  expect([1, 2, 3].map((attempt) => retryDelaySeconds({ ErrorEquals: ['E'] }, attempt, 0))).toEqual([1, 2, 4]);
});

test('full jitter uses a random part of the delay', () => {
  const retrier = { ErrorEquals: ['E'], IntervalSeconds: 8, JitterStrategy: 'FULL' as const };
  expect([0, 0.25, 0.5].map((random) => retryDelaySeconds(retrier, 1, random))).toEqual([0, 2, 4]);
});

test('only the first matching retrier counts, with its own count', () => {
  const retriers = [
    { ErrorEquals: ['A', 'B'], MaxAttempts: 1 },
    { ErrorEquals: ['States.ALL'], MaxAttempts: 2, IntervalSeconds: 5 },
  ];
  expect(nextRetry(retriers, [], 'A', 0)).toEqual({ retrier: 0, delaySeconds: 1 });
  expect(nextRetry(retriers, [1], 'B', 0)).toBeUndefined();
  expect(nextRetry(retriers, [1, 1], 'C', 0)).toEqual({ retrier: 1, delaySeconds: 10 });
  expect(nextRetry([{ ErrorEquals: ['A'], MaxAttempts: 0 }], [], 'A', 0)).toBeUndefined();
});

test.each([
  ['States.ALL', 'Anything', true],
  ['States.ALL', 'States.Timeout', true],
  ['States.ALL', 'States.DataLimitExceeded', false],
  ['States.DataLimitExceeded', 'States.DataLimitExceeded', true],
  ['States.ALL', 'States.Runtime', false],
  ['States.Runtime', 'States.Runtime', false],
  ['States.TaskFailed', 'Anything', true],
  ['States.TaskFailed', 'States.Timeout', false],
  ['States.Timeout', 'States.HeartbeatTimeout', true],
  ['States.HeartbeatTimeout', 'States.Timeout', false],
])('%s matches %s: %s', (name, error, taken) => {
  expect(nextRetry([{ ErrorEquals: [name] }], [], error, 0) !== undefined).toBe(taken);
});

const retriers = fc.record({
  ErrorEquals: fc.constant<string[]>(['Job.Transient']),
  IntervalSeconds: fc.integer({ min: 1, max: 60 }),
  MaxAttempts: fc.integer({ min: 0, max: 6 }),
  BackoffRate: fc.double({ min: 1, max: 4, noNaN: true }),
  MaxDelaySeconds: fc.integer({ min: 61, max: 200 }),
  JitterStrategy: fc.constantFrom('FULL' as const, 'NONE' as const),
});

test('a failing task is called at the times that its retrier determines', async () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  await fc.assert(
    fc.asyncProperty(retriers, random, async (retrier, jitter) => {
      const clock = testClock();
      const calledMs: number[] = [];
      const states = await open({
        definition: { StartAt: 'Work', States: { Work: invoke('f', { Retry: [retrier], End: true }) } },
        functions: {
          f: () => {
            calledMs.push(clock.now());
            throw named('Job.Transient');
          },
        },
        now: clock.now,
        wakeAt: clock.wakeAt,
        random: () => jitter,
      });
      const arn = await start(states);
      for (let calls = 1; calls <= retrier.MaxAttempts; calls++) {
        await until(() => calledMs.length === calls && clock.nextInMs() !== undefined);
        clock.advance(clock.nextInMs() ?? 0);
      }
      expect(await endOf(states, arn)).toMatchObject({ status: 'FAILED', error: 'Job.Transient' });
      const expected = Array.from({ length: retrier.MaxAttempts }, (_, index) =>
        Math.round(retryDelaySeconds(retrier, index + 1, jitter) * 1000),
      );
      expect(calledMs.slice(1).map((ms, index) => ms - (calledMs[index] ?? 0))).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

test('RetryCount is the number of retries, and a success after retries continues normally', async () => {
  const Arguments = { FunctionName: 'f', Payload: '{% $states.context.State.RetryCount %}' };
  const Retry = [{ ErrorEquals: ['States.ALL'], MaxDelaySeconds: 1, IntervalSeconds: 1, JitterStrategy: 'FULL' }];
  const definition = {
    StartAt: 'Work',
    States: { Work: invoke('f', { Arguments, Retry, Output: '{% $states.result.Payload %}', End: true }) },
  };
  const f = (attempt: number) => {
    if (attempt < 2) throw named('Busy');
    return attempt;
  };
  expect(await run({ definition, functions: { f }, random: () => 0 })).toEqual({ status: 'SUCCEEDED', output: 2 });
});

test('after the last retry the first matching catcher handles the error', async () => {
  const definition = {
    StartAt: 'Work',
    States: {
      Work: invoke('f', {
        Retry: [{ ErrorEquals: ['Worker.Lost'], MaxAttempts: 2, IntervalSeconds: 1 }],
        Catch: [
          { ErrorEquals: ['Job.Fatal'], Next: 'Fatal' },
          { ErrorEquals: ['States.ALL'], Next: 'Other', Output: { error: '{% $states.errorOutput.Error %}' } },
        ],
        Next: 'Fatal',
      }),
      Fatal: { Type: 'Fail', Error: 'Wrong' },
      Other: { Type: 'Pass', End: true },
    },
  };
  const clock = testClock();
  let calls = 0;
  const f = () => {
    calls++;
    throw named('Worker.Lost');
  };
  const states = await open({ definition, functions: { f }, now: clock.now, wakeAt: clock.wakeAt });
  const arn = await start(states);
  for (let call = 1; call <= 2; call++) {
    await until(() => calls === call && clock.nextInMs() !== undefined);
    clock.advance(clock.nextInMs() ?? 0);
  }
  expect(await endOf(states, arn)).toEqual({ status: 'SUCCEEDED', output: { error: 'Worker.Lost' } });
  expect(calls).toBe(3);
  expect((await describeExecution(states, arn)).stopDate?.getTime()).toBe(clock.now());
});
