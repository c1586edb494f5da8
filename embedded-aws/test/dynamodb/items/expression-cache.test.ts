import conditionParser from 'dynalite/db/conditionParser.js';
import projectionParser from 'dynalite/db/projectionParser.js';
import updateParser from 'dynalite/db/updateParser.js';
import { expect, test, vi } from 'vitest';
import { type AttributeValue, db } from '../../../src/dynamodb/dynalite/dynalite.ts';
import { cachedParser, type Parse, type ParserContext } from '../../../src/dynamodb/items/expression-cache.ts';

type Names = Record<string, string>;
type Values = Record<string, AttributeValue>;

function contextOf(attrNames?: Names, attrVals?: Values): ParserContext {
  const unused = (given: object = {}) => Object.fromEntries(Object.keys(given).map((name) => [name, true as const]));
  const rules = { isReserved: (name: string) => name === 'state', compare: db.compare };
  return { ...rules, attrNames, attrVals, unusedAttrNames: unused(attrNames), unusedAttrVals: unused(attrVals) };
}

/** The result of a parser, or its error, and what it left unused. */
function outcome(parse: Parse, text: string, names?: Names, values?: Values) {
  const context = contextOf(names, structuredClone(values));
  let result: unknown;
  try {
    result = parse(text, { context });
  } catch (error) {
    result = (error as Error).message;
  }
  return { result, names: Object.keys(context.unusedAttrNames), values: Object.keys(context.unusedAttrVals) };
}

const text = (S: string) => ({ S });
const number = (N: string) => ({ N });
type Request = [text: string, names?: Names | undefined, values?: Values];

const conditions: Request[] = [
  ['pk = :pk AND begins_with(sk, :sk)', undefined, { ':pk': text('a'), ':sk': text('b') }],
  ['pk = :pk AND begins_with(sk, :sk)', undefined, { ':pk': text('c'), ':sk': text('d') }],
  ['pk = :pk AND begins_with(sk, :sk)', undefined, { ':pk': text('c'), ':sk': number('1') }],
  ['pk = :pk AND begins_with(sk, :sk)', undefined, { ':pk': text('c') }],
  ['pk = :pk AND begins_with(sk, :sk)', undefined, { ':pk': text('c'), ':sk': text('d'), ':other': text('e') }],
  ['#a.b[2] = :a', { '#a': 'x' }, { ':a': text('a') }],
  ['#a.b[2] = :a', { '#a': 'y' }, { ':a': text('a') }],
  ['#a.b[2] = :a', { '#a': 'y', '#unused': 'z' }, { ':a': text('a') }],
  ['#a.b[2] = :a', { '#b': 'y' }, { ':a': text('a') }],
  ['NOT (size(#a) > :n OR #a IN (:n, :m))', { '#a': 'x' }, { ':n': number('1'), ':m': { M: { S: text('S') } } }],
  ['NOT (size(#a) > :n OR #a IN (:n, :m))', { '#a': 'x' }, { ':n': number('2'), ':m': { M: {} } }],
  ['a BETWEEN :from AND :to', undefined, { ':from': number('1'), ':to': number('2') }],
  ['a BETWEEN :from AND :to', undefined, { ':from': number('2'), ':to': number('1') }],
  ['attribute_type(a, :type)', undefined, { ':type': text('S') }],
  ['attribute_type(a, :type)', undefined, { ':type': text('other') }],
  ['state = :state', undefined, { ':state': text('S') }],
  ['a = ', undefined, { ':state': text('S') }],
];
const updates: Request[] = [
  ['SET #a = :a, b = if_not_exists(b, :b) + :b REMOVE c[1]', { '#a': 'x' }, { ':a': text('1'), ':b': number('1') }],
  ['SET #a = :a, b = if_not_exists(b, :b) + :b REMOVE c[1]', { '#a': 'y' }, { ':a': text('2'), ':b': number('3') }],
  ['SET #a = :a, b = if_not_exists(b, :b) + :b REMOVE c[1]', { '#a': 'y' }, { ':a': text('2'), ':b': text('3') }],
  ['ADD a :a', undefined, { ':a': number('1') }],
  ['ADD a :a', undefined, { ':a': { SS: ['1'] } }],
];
const projections: Request[] = [
  ['#a, b.c[0]', { '#a': 'x' }],
  ['#a, b.c[0]', { '#a': 'y' }],
  ['#a, b.c[0]', { '#a': 'b' }],
];

test.each([
  ['conditions', conditionParser, conditions],
  ['updates', updateParser, updates],
  ['projections', projectionParser, projections],
])('parses %s with any names and values as dynalite does', (_kind, { parse }, requests) => {
  const cached = cachedParser(parse);
  for (const request of [...requests, ...requests]) {
    expect(outcome(cached, ...request), JSON.stringify(request)).toEqual(outcome(parse, ...request));
  }
});

test('parses a text once for all values of the same types', () => {
  const parse = vi.fn(conditionParser.parse);
  const cached = cachedParser(parse);
  for (const value of ['a', 'b', 'c']) outcome(cached, 'pk = :pk', undefined, { ':pk': text(value) });
  expect(parse).toHaveBeenCalledTimes(1);
});

test('a change of a result does not show in the next one', () => {
  const cached = cachedParser(conditionParser.parse);
  const parse = () => outcome(cached, 'a.b = :a', undefined, { ':a': text('a') }).result;
  const expected = structuredClone(parse());
  for (let turn = 0; turn < 2; turn += 1) {
    const { expression } = parse() as { expression: { type: string; args: unknown[][] } };
    expression.type = '<';
    expression.args[0]!.push('c');
    expression.args.pop();
  }
  expect(parse()).toEqual(expected);
});

test('marks what it uses, although an earlier expression of the request has used it', () => {
  const cached = cachedParser(conditionParser.parse);
  const values = { ':a': text('a') };
  const context = { ...contextOf(undefined, values), unusedAttrVals: {} };
  cached('x = :a', { context });
  expect(outcome(cached, 'x = :a', undefined, values).values).toEqual([]);
});
