import { expect, test } from 'vitest';
import { run, runState } from './run-machine.ts';

test('Pass returns its input or its Output', async () => {
  expect(await runState({ Type: 'Pass', End: true }, { a: 1 })).toEqual({ status: 'SUCCEEDED', output: { a: 1 } });
  const output = { b: '{% $states.input.a + 1 %}', list: [1, '{% $states.input.a %}'], text: 'plain' };
  expect(await runState({ Type: 'Pass', Output: output, End: true }, { a: 1 })).toEqual({
    status: 'SUCCEEDED',
    output: { b: 2, list: [1, 1], text: 'plain' },
  });
});

test('Succeed ends the execution with its Output', async () => {
  expect(await runState({ Type: 'Succeed', Output: '{% $states.input.a %}' }, { a: [1] })).toEqual({
    status: 'SUCCEEDED',
    output: [1],
  });
});

test('Fail ends the execution with an evaluated error and cause', async () => {
  const state = { Type: 'Fail', Error: 'Job.Fatal', Cause: "{% 'no ' & $states.input.what %}" };
  expect(await runState(state, { what: 'tracks' })).toEqual({
    status: 'FAILED',
    error: 'Job.Fatal',
    cause: 'no tracks',
  });
});

test('variables are assigned when a state ends, and visible in the next one', async () => {
  const definition = {
    StartAt: 'First',
    States: {
      First: {
        Type: 'Pass',
        Assign: { a: 1, b: '{% $states.input.n %}' },
        Output: { seen: '{% $exists($a) %}' },
        Next: 'Swap',
      },
      Swap: { Type: 'Pass', Assign: { a: '{% $b %}', b: '{% $a %}' }, Next: 'Show' },
      Show: { Type: 'Pass', Output: { a: '{% $a %}', b: '{% $b %}', input: '{% $states.input %}' }, End: true },
    },
  };
  expect(await run({ definition }, { n: 2 })).toEqual({
    status: 'SUCCEEDED',
    output: { a: 2, b: 1, input: { seen: false } },
  });
});

const choose = {
  StartAt: 'Choose',
  States: {
    Choose: {
      Type: 'Choice',
      Choices: [
        { Condition: '{% $states.input.n > 10 %}', Next: 'Show', Assign: { size: 'big' } },
        { Condition: '{% $states.input.n > 5 %}', Next: 'Show', Assign: { size: 'middle' }, Output: 'from the rule' },
      ],
      Default: 'Show',
      Assign: { size: 'small' },
    },
    Show: { Type: 'Pass', Output: '{% [$size, $states.input] %}', End: true },
  },
};

test('Choice takes the first rule that matches, with its own Assign and Output, or Default', async () => {
  expect((await run({ definition: choose }, { n: 11 })).output).toEqual(['big', { n: 11 }]);
  expect((await run({ definition: choose }, { n: 6 })).output).toEqual(['middle', 'from the rule']);
  expect((await run({ definition: choose }, { n: 1 })).output).toEqual(['small', { n: 1 }]);
});

test('Choice without a match and without Default fails', async () => {
  const definition = {
    StartAt: 'Choose',
    States: { Choose: { ...choose.States.Choose, Default: undefined, Assign: undefined }, Show: choose.States.Show },
  };
  expect(await run({ definition }, { n: 1 })).toMatchObject({ status: 'FAILED', error: 'States.NoChoiceMatched' });
});

test('a Condition that is not a boolean is an evaluation error', async () => {
  const rule = { Condition: '{% $states.input.n %}', Next: 'Done' };
  const definition = {
    StartAt: 'Choose',
    States: { Choose: { Type: 'Choice', Choices: [rule] }, Done: { Type: 'Succeed' } },
  };
  expect(await run({ definition }, { n: 1 })).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
});

test('an expression without a result is an evaluation error that names its field', async () => {
  const end = await runState({ Type: 'Pass', Output: { a: { b: '{% $states.input.missing %}' } }, End: true });
  expect(end).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  expect(end.cause).toContain("'$states.input.missing' specified for the field 'Output/a/b' returned nothing");
});

test('a payload over 256 KiB between states is rejected', async () => {
  const output = (characters: number) =>
    `{% $join($map($range(1, ${characters / 1024}, 1), function($n) { $pad('', 1024, 'x') })) %}`;
  const [fits, toolarge] = [255 * 1024, 257 * 1024].map((size) => ({ Type: 'Pass', Output: output(size), End: true }));
  expect((await runState(fits!)).output).toHaveLength(255 * 1024);
  expect(await runState(toolarge!)).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
});

test('the context contains the execution, the state machine and the state', async () => {
  const { output } = await runState({ Type: 'Pass', Output: '{% $states.context %}', End: true }, { a: 1 });
  expect(output).toEqual({
    Execution: {
      Id: expect.stringMatching(/^arn:aws:states:[^:]+:\d{12}:execution:[^:]+:[0-9a-f-]{36}$/),
      Input: { a: 1 },
      Name: expect.stringMatching(/^[0-9a-f-]{36}$/),
      RoleArn: expect.any(String),
      StartTime: expect.stringMatching(/^\d{4}-.*Z$/),
      RedriveCount: 0,
    },
    StateMachine: {
      Id: expect.stringMatching(/^arn:aws:states:[^:]+:\d{12}:stateMachine:[^:]+$/),
      Name: expect.any(String),
    },
    State: { Name: 'Only', EnteredTime: expect.stringMatching(/^\d{4}-.*Z$/), RetryCount: 0 },
  });
});

test('an endless loop ends at 25,000 events', async () => {
  const definition = {
    StartAt: 'A',
    States: {
      A: { Type: 'Pass', Next: 'B' },
      B: { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'C' }], Default: 'A' },
      C: { Type: 'Succeed' },
    },
  };
  expect(await run({ definition })).toMatchObject({
    status: 'FAILED',
    error: 'States.Runtime',
    cause: expect.stringContaining('25000'),
  });
});
