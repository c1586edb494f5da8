import { expect, test } from 'vitest';
import { endOf, invoke, invokeAndWait, named, open, run, runState, start, until } from './fixture.ts';

type Held = { token: string };

test('a function is invoked by its ARN with the input, and its response is the result', async () => {
  const state = {
    Type: 'Task',
    Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:double',
    Output: { result: '{% $states.result.n %}', input: '{% $states.input.n %}' },
    End: true,
  };
  const end = await runState(state, { n: 2 }, { double: ({ n }: { n: number }) => ({ n: n * 2 }) });
  expect(end.output).toEqual({ result: 4, input: 2 });
});

test('lambda:invoke wraps the response as Step Functions does', async () => {
  const end = await runState(invoke('double', { End: true }), { n: 2 }, { double: ({ n }: { n: number }) => n * 2 });
  expect(end.output).toEqual({ ExecutedVersion: '$LATEST', Payload: 4, StatusCode: 200 });
});

test('the error of a function is its errorType, with its payload as the cause', async () => {
  const failing = () => {
    throw named('Worker.Lost', 'gone');
  };
  const end = await runState(invoke('f', { End: true }), {}, { f: failing });
  expect(end).toEqual({
    status: 'FAILED',
    error: 'Worker.Lost',
    cause: JSON.stringify({ errorType: 'Worker.Lost', errorMessage: 'gone' }),
  });
});

test.each([
  [named('TooManyRequestsException', 'slow down'), 'Lambda.TooManyRequestsException'],
  [named('ServiceException'), 'Lambda.ServiceException'],
  [new Error('socket hang up'), 'Lambda.Unknown'],
])('when the invocation itself fails with %s, the error is %s', async (failure, error) => {
  const definition = { StartAt: 'Only', States: { Only: invoke('f', { End: true }) } };
  const invokeLambda = () => Promise.reject(failure);
  expect(await run({ definition, invokeLambda })).toEqual({ status: 'FAILED', error, cause: failure.message });
});

test('other integrations call startTask, and their errors contain the service', async () => {
  const Only = { Type: 'Task', Resource: 'arn:aws:states:::ecs:runTask', Arguments: { Cluster: 'c' }, End: true };
  const definition = { StartAt: 'Only', States: { Only } };
  const asked = await run({ definition, startTask: async (api, parameters) => ({ api, parameters }) });
  expect(asked.output).toEqual({ api: 'ecs:runTask', parameters: { Cluster: 'c' } });
  const startTask = () => Promise.reject(named('ClusterNotFoundException', 'no c'));
  expect(await run({ definition, startTask })).toMatchObject({ error: 'Ecs.ClusterNotFoundException', cause: 'no c' });
});

test('the result of a task with a token is what SendTaskSuccess sends, not the response of the function', async () => {
  const tokens: string[] = [];
  const states = await open({
    definition: { StartAt: 'Only', States: { Only: invokeAndWait('enqueue', { End: true }) } },
    functions: { enqueue: ({ token }: Held) => void tokens.push(token) },
  });
  const arn = await start(states, { job: 1 });
  const taskToken = await until(() => tokens[0]);
  expect(taskToken.length).toBeGreaterThan(40);
  await states.call('SendTaskHeartbeat', { taskToken });
  await states.call('SendTaskSuccess', { taskToken, output: '{"frames":10}' });
  expect(await endOf(states, arn)).toEqual({ status: 'SUCCEEDED', output: { frames: 10 } });
  await expect(states.call('SendTaskSuccess', { taskToken, output: '{}' })).rejects.toMatchObject({
    name: 'TaskTimedOut',
  });
});

test('SendTaskSuccess may be called before the function has returned', async () => {
  const states = await open({
    definition: { StartAt: 'Only', States: { Only: invokeAndWait('enqueue', { End: true }) } },
    functions: {
      enqueue: async ({ token }: Held) => {
        await states.call('SendTaskSuccess', { taskToken: token, output: '"early"' });
        throw named('TooLate');
      },
    },
  });
  expect(await endOf(states, await start(states))).toEqual({ status: 'SUCCEEDED', output: 'early' });
});

test('SendTaskFailure is caught by its error name, with its cause', async () => {
  const Catch = [{ ErrorEquals: ['Job.Fatal'], Next: 'Reported', Assign: { why: '{% $states.errorOutput.Cause %}' } }];
  const states = await open({
    definition: {
      StartAt: 'Work',
      States: {
        Work: invokeAndWait('enqueue', { Catch, Next: 'Reported' }),
        Reported: { Type: 'Pass', Output: '{% [$states.input.Error, $why] %}', End: true },
      },
    },
    functions: {
      enqueue: ({ token }: Held) =>
        states.call('SendTaskFailure', { taskToken: token, error: 'Job.Fatal', cause: 'no tracks' }),
    },
  });
  expect(await endOf(states, await start(states))).toEqual({ status: 'SUCCEEDED', output: ['Job.Fatal', 'no tracks'] });
});

test('a function that does not return is ended by TimeoutSeconds', async () => {
  const state = invoke('f', { TimeoutSeconds: '{% 1 %}', End: true });
  expect(await runState(state, {}, { f: () => new Promise(() => {}) })).toMatchObject({ error: 'States.Timeout' });
});

test('Arguments and results over 256 KiB are rejected', async () => {
  const large = 'x'.repeat(262_144);
  const result = await runState(invoke('f', { End: true }), {}, { f: () => large });
  expect(result).toMatchObject({ error: 'States.DataLimitExceeded' });
  const doubled = { FunctionName: 'f', Payload: ['{% $states.input %}', '{% $states.input %}'] };
  const args = await runState(invoke('f', { Arguments: doubled, End: true }), 'x'.repeat(200_000), { f: () => 1 });
  expect(args).toMatchObject({ error: 'States.DataLimitExceeded' });
});

test('lambda:invoke with InvocationType Event continues when Lambda has accepted the event', async () => {
  const accepted: unknown[] = [];
  const states = await open({
    definition: {
      StartAt: 'Later',
      States: {
        Later: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke',
          Arguments: { FunctionName: 'sweep', InvocationType: 'Event', Payload: { a: 1 } },
          End: true,
        },
      },
    },
    enqueueLambda: async (name, payload) => void accepted.push([name, payload]),
  });
  expect(await endOf(states, await start(states))).toMatchObject({ status: 'SUCCEEDED' });
  expect(accepted).toEqual([['sweep', { a: 1 }]]);
});
