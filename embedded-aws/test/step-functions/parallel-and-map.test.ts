import { expect, test } from 'vitest';
import { endOf, historyOf, invoke, invokeAndWait, named, open, run, start, until } from './fixture.ts';

type Held = { token: string };
const failNow = { Type: 'Fail', Error: 'Broken', Cause: 'here' };

test('Parallel returns the outputs of its branches in order; each branch has its own variables', async () => {
  const branch = (name: string, n: number) => ({
    StartAt: name,
    States: {
      [name]: { Type: 'Pass', Assign: { [`own${n}`]: n }, Next: `${name}2` },
      [`${name}2`]: { Type: 'Pass', Output: `{% $own${n} + $outer + $states.input.a %}`, End: true },
    },
  });
  const definition = {
    StartAt: 'Set',
    States: {
      Set: { Type: 'Pass', Assign: { outer: 100 }, Next: 'Both' },
      Both: {
        Type: 'Parallel',
        Arguments: { a: '{% $states.input.x * 1000 %}' },
        Branches: [branch('One', 1), branch('Two', 2)],
        Assign: { first: '{% $states.result[0] %}' },
        Next: 'Show',
      },
      Show: { Type: 'Pass', Output: '{% [$first, $exists($own1), $states.input] %}', End: true },
    },
  };
  expect((await run({ definition }, { x: 3 })).output).toEqual([3101, false, 3101, 3102]);
});

test('the first failed branch fails the Parallel, and stops the other branches', async () => {
  const tokens: string[] = [];
  const states = await open({
    definition: {
      StartAt: 'Both',
      States: {
        Both: {
          Type: 'Parallel',
          Branches: [
            { StartAt: 'Work', States: { Work: invokeAndWait('enqueue', { End: true }) } },
            { StartAt: 'Ask', States: { Ask: invokeAndWait('enqueue', { Next: 'No' }), No: failNow } },
          ],
          Catch: [{ ErrorEquals: ['Broken'], Next: 'Reported' }],
          End: true,
        },
        Reported: { Type: 'Pass', End: true },
      },
    },
    functions: { enqueue: ({ token }: Held) => void tokens.push(token) },
  });
  const arn = await start(states);
  await until(() => tokens.length === 2);
  await states.call('SendTaskSuccess', { taskToken: tokens[1], output: '1' });
  expect(await endOf(states, arn)).toEqual({ status: 'SUCCEEDED', output: { Error: 'Broken', Cause: 'here' } });
  const late = states.call('SendTaskSuccess', { taskToken: tokens[0], output: '1' });
  await expect(late).rejects.toMatchObject({ name: 'TaskTimedOut' });
});

test('a retry of a Parallel runs all branches again', async () => {
  let calls = 0;
  const f = () => {
    if (++calls === 2) throw named('Busy');
    return calls;
  };
  const branch = (name: string) => ({
    StartAt: name,
    States: { [name]: invoke('f', { Output: '{% $states.result.Payload %}', End: true }) },
  });
  const Retry = [{ ErrorEquals: ['Busy'], IntervalSeconds: 1, JitterStrategy: 'FULL' }];
  const Both = { Type: 'Parallel', Branches: [branch('One'), branch('Two')], Retry, End: true };
  const end = await run({
    definition: { StartAt: 'Both', States: { Both } },
    functions: { f },
    random: () => 0,
  });
  expect(end).toEqual({ status: 'SUCCEEDED', output: [3, 4] });
});

const eachItem = (more: object, processor: object) => ({
  StartAt: 'Each',
  States: { Each: { Type: 'Map', ItemProcessor: processor, End: true, ...more } },
});

test('an inline Map runs its flow for each item, with the item in the context', async () => {
  const definition = eachItem(
    {
      Items: '{% $states.input.items %}',
      ItemSelector: { i: '{% $states.context.Map.Item.Index %}', v: '{% $states.context.Map.Item.Value %}' },
    },
    {
      StartAt: 'Show',
      States: { Show: { Type: 'Pass', Output: '{% $states.input.v & $states.context.Map.Item.Index %}', End: true } },
    },
  );
  expect((await run({ definition }, { items: ['a', 'b'] })).output).toEqual(['a0', 'b1']);
  expect((await run({ definition }, { items: [] })).output).toEqual([]);
  expect(await run({ definition }, { items: 'no list' })).toMatchObject({ error: 'States.QueryEvaluationError' });
});

test.each([
  [3, 3],
  [0, 40],
])('with MaxConcurrency %i, %i iterations run concurrently', async (MaxConcurrency, most) => {
  let running = 0;
  let seen = 0;
  const f = async () => {
    seen = Math.max(seen, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
  };
  const flow = { StartAt: 'F', States: { F: invoke('f', { End: true }) } };
  const definition = eachItem({ Items: '{% [1..60] %}', MaxConcurrency: `{% ${MaxConcurrency} %}` }, flow);
  expect(await run({ definition, functions: { f } })).toMatchObject({ status: 'SUCCEEDED' });
  expect(seen).toBe(most);
});

test('a failed iteration fails the Map with its error, and the history names the iteration', async () => {
  const flow = { StartAt: 'F', States: { F: invoke('f', { End: true }) } };
  const f = (item: number) => {
    if (item === 2) throw named('Odd', 'two');
  };
  const states = await open({
    definition: eachItem({ Items: [1, 2, 3], MaxConcurrency: 1 }, flow),
    functions: { f },
  });
  const arn = await start(states);
  expect(await endOf(states, arn)).toMatchObject({ status: 'FAILED', error: 'Odd' });
  const events = await historyOf(states, arn);
  expect(events.find(({ type }) => type === 'MapIterationFailed')?.mapIterationFailedEventDetails).toEqual({
    name: 'Each',
    index: 1,
  });
  expect(events.filter(({ type }) => type === 'MapIterationStarted')).toHaveLength(2);
});
