import * as fc from 'fast-check';

/** A definition in JSONata; every machine gets the same input. */
export type Machine = { StartAt: string; States: Record<string, object> };
type State = { Type: string; [member: string]: unknown };

export const input = { n: 3, items: [1, 2, 3], text: 'ab cd' };

const expressions = (of: string): fc.Arbitrary<string> =>
  fc.constantFrom(...of.split(' | ').map((one) => `{% ${one} %}`));
const number = expressions(
  '$states.input.n | $states.input.n + 1 | $count($states.input.items) | $sum($states.input.items) | $length("ab")',
);
const ofVariables = expressions('$v | $v * 2 | $w - 1 | $v + $w | $states.input.n + $v');
const list = expressions(
  '$states.input.items | [1..3] | $map($states.input.items, function($i){$i * 2}) | $append($states.input.items, 4) | ' +
    '$range(1, 5, 2) | $filter($states.input.items, function($i){$i > 1}) | [] | $reverse($states.input.items)',
);
const any = expressions(
  'null | "text" | true | $states.input | $states.context.State.Name | $states.context.Execution.Input.text | ' +
    '$partition([1, 2, 3], 2) | $parse("{\\"a\\":[1]}") | {"a": $states.input.n, "b": [1]} | ' +
    '$states.input.items[0] | $states.input.items[9] | $states.input.text | $uppercase($states.context.State.Name) | ' +
    '$number("x") | $error("own") | $type($states.input.x)',
);
const literal = fc.constantFrom(1, 'plain', null, [], { a: 1 }, '{%not%', ['{% 1 %}', { b: '{% [] %}' }]);
const condition = expressions(
  '$states.input.n > 3 | $v = 1 | $count($states.input.items) = 3 | true | false | $exists($states.input.x) | ' +
    '$states.input.n in $states.input.items | $w > $v | $w',
);
/**
 * Each state passes on what the expressions of the next one need. No variables: LocalStack assigns those of the state
 * before.
 */
const Output = fc.record({ n: number, items: list, x: fc.oneof(any, literal) });
const assigned = fc.oneof(number, ofVariables);
const Assign = fc.oneof(fc.constant(undefined), fc.record({ v: assigned }), fc.record({ v: assigned, w: assigned }));
const ErrorEquals = fc.constantFrom(['States.ALL'], ['States.QueryEvaluationError'], ['Own'], ['States.TaskFailed']);
const error = fc.constantFrom<State>(
  { Type: 'Fail', Error: 'Own', Cause: 'because' },
  { Type: 'Fail' },
  { Type: 'Fail', Error: '{% "Own" & $v %}' },
  { Type: 'Succeed', Output: { done: '{% $v %}' } },
);

/** It reads the variables of the flow around it, and assigns one of its own, as no other name is allowed. */
const innerPass = fc.record({ Type: fc.constant('Pass'), Output, Assign: fc.record({ own: assigned }) });
const shown: State = { Type: 'Pass', Output: ['{% $states.input %}', '{% $own + $v %}'] };

/** A flow in a state, with two to four states. It ends otherwise in one of four. */
const inner = (name: string): fc.Arbitrary<Machine> =>
  fc
    .tuple(
      fc.array(innerPass, { minLength: 1, maxLength: 2 }),
      fc.oneof({ weight: 3, arbitrary: fc.constant(shown) }, { weight: 1, arbitrary: error }),
    )
    .map(([passes, end]) => flow(name, [...passes, end]));

const guarded = (name: string, last: string) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 2,
      arbitrary: fc.record({ ErrorEquals, Assign, Output: fc.constant(caught) }).map((catcher) => ({
        Catch: [{ ...catcher, Next: last }],
      })),
    },
    {
      weight: 1,
      arbitrary: ErrorEquals.map((of) => ({
        Retry: [{ ErrorEquals: of, IntervalSeconds: 1, MaxAttempts: name.length % 2, BackoffRate: 1 }],
      })),
    },
  );
const caught = { n: 1, items: [1], x: '{% $states.errorOutput.Error %}' };

const stateOf = (name: string, last: string): fc.Arbitrary<State> =>
  fc.oneof<fc.Arbitrary<State>[]>(
    fc.record({ Type: fc.constant('Pass'), Output, Assign }),
    fc.record({ Type: fc.constant('Wait'), Seconds: fc.constantFrom(0, '{% $v - $v %}'), Output, Assign }),
    fc
      .tuple(
        fc.array(fc.record({ Condition: condition, Next: fc.constant(last), Output, Assign }), {
          minLength: 1,
          maxLength: 2,
        }),
      )
      .map(([Choices]) => ({ Type: 'Choice', Choices })),
    fc.tuple(inner(`${name}p`), Output, Assign, guarded(name, last)).map(([branch, output, assign, guard]) => ({
      Type: 'Parallel',
      // Only one of them may fail: which of two errors comes first is not defined.
      Branches: [branch, flow(`${name}q`, [{ Type: 'Pass', Output: ['{% $states.input %}', '{% $v %}'] }])],
      Arguments: { n: '{% $v %}', items: ['{% $w %}'] },
      Output: { ...output, x: '{% $states.result %}' },
      Assign: assign,
      ...guard,
    })),
    fc
      .tuple(inner(`${name}m`), list, Output, Assign, guarded(name, last))
      .map(([processor, items, output, assign, guard]) => ({
        Type: 'Map',
        Items: items,
        ItemSelector: { n: '{% $states.context.Map.Item.Value %}', items: [1, '{% $states.context.Map.Item.Index %}'] },
        ItemProcessor: processor,
        MaxConcurrency: 1,
        Output: { ...output, x: '{% $states.result %}' },
        Assign: assign,
        ...guard,
      })),
  );

/** States one after the other. */
function flow(prefix: string, states: State[]): Machine {
  const nameOf = (number: number): string => `${prefix}${number}`;
  return {
    StartAt: nameOf(0),
    States: Object.fromEntries(
      states.map((state, number) => [
        nameOf(number),
        withNext(state, number + 1 < states.length && nameOf(number + 1)),
      ]),
    ),
  };
}

function withNext(state: State, next: string | false): object {
  const { Type } = state;
  if (Type === 'Fail' || Type === 'Succeed') return state;
  if (Type === 'Choice') return { ...state, ...(next && { Default: next }) };
  return { ...state, ...(next ? { Next: next } : { End: true }) };
}

const start: State = { Type: 'Pass', Assign: { v: 1, w: 2 } };
const end: State = { Type: 'Pass', Output: ['{% $states.input %}', '{% $v %}', '{% $w %}'] };

/** Two to four states of all types between one that assigns the variables and one that shows all. */
export const machines: fc.Arbitrary<Machine> = fc
  .integer({ min: 1, max: 3 })
  .chain((count) => {
    const last = `S${count + 1}`;
    return fc.tuple(...Array.from({ length: count }, (_, number) => stateOf(`S${number + 1}x`, last)));
  })
  .map((states) => JSON.parse(JSON.stringify(flow('S', [start, ...states, end]))));
