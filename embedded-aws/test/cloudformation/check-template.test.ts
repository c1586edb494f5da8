import { expect, test } from 'vitest';
import { creationOrder, inCreationOrder } from '../../src/cloudformation/check-template.ts';
import type { Resource } from '../../src/template/deployed-template.ts';

const resource = (Properties: Record<string, unknown> = {}, more: object = {}): Resource => ({
  Type: 'AWS::SNS::Topic',
  Properties,
  ...more,
});
const of = (name: string) => `\${${name}}`;
const many = <Value>(count: number, value: Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`R${index}`, value]));

test('resources are created after those that they depend on', () => {
  const Resources = {
    A: resource({ Name: { 'Fn::Join': ['', [{ Ref: 'B' }, { Ref: 'AWS::Region' }]] } }),
    B: resource({}, { DependsOn: ['C', 'D'] }),
    C: resource({ Name: { 'Fn::Sub': [of('D.Arn'), of('AWS::Region'), of('!E'), of('Stage')].join('-') } }),
    D: resource({ Name: { 'Fn::Sub': [of('x'), { x: { 'Fn::GetAtt': ['E', 'Arn'] } }] } }),
    E: resource(),
  };
  expect(creationOrder({ Resources, Parameters: { Stage: {} } })).toEqual(['E', 'D', 'C', 'B', 'A']);
  expect(Object.keys(inCreationOrder({ Resources, Parameters: { Stage: {} } }).Resources)[0]).toBe('E');
});

test('a circular dependency is refused with its resources', () => {
  const Resources = {
    A: resource({ Name: { 'Fn::GetAtt': ['B', 'Arn'] } }),
    B: resource({ Name: { 'Fn::Sub': of('C') } }),
    C: resource({}, { DependsOn: 'A' }),
  };
  expect(() => creationOrder({ Resources })).toThrow('circular dependency between resources: A → B → C → A.');
});

test.each([
  ['an unknown intrinsic function', { A: resource({ Name: { 'Fn::Upper': 'a' } }) }, 'function Fn::Upper'],
  ['a missing resource', { A: resource({ Name: { Ref: 'B' } }) }, 'A refers to B'],
  ['a missing dependency', { A: resource({}, { DependsOn: 'B' }) }, 'A refers to B'],
  ['501 resources', many(501, resource()), '501 resources'],
  ['more than 1 MB', { A: resource({ Name: 'x'.repeat(1024 * 1024) }) }, 'at most 1048576'],
])('%s is refused', (_, Resources, problem) => {
  expect(() => creationOrder({ Resources: Resources as Record<string, Resource> })).toThrow(problem);
});

test('an output that refers to nothing, and too many outputs or parameters, are refused', () => {
  const Resources = { A: resource() };
  expect(() => creationOrder({ Resources, Outputs: { O: { Value: { Ref: 'B' } } } })).toThrow('An output refers to B');
  expect(() => creationOrder({ Resources, Outputs: many(201, { Value: '' }) })).toThrow('201 outputs');
  expect(() => creationOrder({ Resources, Parameters: many(201, {}) })).toThrow('201 parameters');
});
