import { expect, test } from 'vitest';
import { evaluateTemplate } from '../../src/step-functions/jsonata/jsonata-template.ts';

const evaluate = (expression: string, bindings = {}) => evaluateTemplate(`{% ${expression} %}`, bindings, 'Output');
const failure = (pattern: RegExp) => ({
  error: 'States.QueryEvaluationError',
  errorCause: expect.stringMatching(pattern),
});

test.each([
  ['$partition([1,2,3,4,5], 2)', [[1, 2], [3, 4], [5]]],
  ['$partition($one, 2)', [['only']]],
  ['$range(1, 7, 3)', [1, 4, 7]],
  ['$range(5, 1, -2)', [5, 3, 1]],
  ["$hash('abc', 'SHA-256')", 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ["$hash('abc', 'MD5')", '900150983cd24fb0d6963f7d28e17f72'],
  ['$random(7) = $random(7)', true],
  ['$random() < 1', true],
  [`$parse('{"a":[1]}').a[0]`, 1],
  ['$length($uuid())', 36],
])('%s', async (expression, value) => {
  expect(JSON.parse(JSON.stringify(await evaluate(expression, { one: ['only'][0] })))).toEqual(value);
});

test.each([
  ['$eval("1 + 1")', /non-function/],
  ['$range(1, 2000, 1)', /at most 1000/],
  ['$range(1, 2, 0)', /step/],
  ['$partition([1], 0)', /at least 1/],
  ["$hash('abc', 'SHA-0')", /SHA-256/],
  ["$error('boo')", /boo/],
  ['nothing', /returned nothing/],
  ['$', /returned nothing/],
  ['function($x){$x}', /unsupported result type/],
  ['($f := function($n) { $f($n + 1) }; $f(1))', /timeout/i],
])(
  '%s is an evaluation error',
  async (expression, pattern) => {
    await expect(evaluate(expression)).rejects.toMatchObject(failure(pattern));
  },
  20_000,
);

test('only a string that is an expression as a whole is one', async () => {
  const template = { a: ' {% 1 %}', b: '{% 1 %} ', c: '{%2%}', d: ['{% [1] %}', null, true] };
  expect(await evaluateTemplate(template, {}, 'Output')).toMatchObject({
    a: ' {% 1 %}',
    b: '{% 1 %} ',
    c: 2,
    d: [[1], null, true],
  });
});
