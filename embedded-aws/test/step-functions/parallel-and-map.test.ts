import { expect, test } from 'vitest';
import { endOf, historyOf, invoke, invokeAndWait, named, open, run, start, until } from './fixture.ts';

type Held = { token: string };
const failNow = { Type: 'Fail', Error: 'Broken', Cause: 'here' };

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
