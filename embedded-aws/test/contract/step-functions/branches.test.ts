import { expect, test } from 'vitest';
import { run } from './run-machine.ts';

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
