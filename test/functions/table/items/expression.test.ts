import { describe, expect, test } from 'vitest';
import { expression } from '../../../../functions/table/items/expression.ts';

describe('an expression', () => {
  test('sets, adds and removes under a condition, with every name and value as a placeholder', () => {
    expect(
      expression(
        { set: { status: 'running' }, add: { planNumber: 1 }, remove: ['error'] },
        { equals: { planNumber: 2 }, oneOf: { status: ['pending', 'failed'] }, absent: ['deletedAt'] },
      ),
    ).toEqual({
      UpdateExpression: 'SET #n0 = :v0 ADD #n1 :v1 REMOVE #n2',
      ConditionExpression: 'attribute_not_exists(#n3) AND #n1 = :v2 AND #n0 IN (:v3, :v4)',
      ExpressionAttributeNames: { '#n0': 'status', '#n1': 'planNumber', '#n2': 'error', '#n3': 'deletedAt' },
      ExpressionAttributeValues: { ':v0': 'running', ':v1': 1, ':v2': 2, ':v3': 'pending', ':v4': 'failed' },
    });
  });

  test('changes nested maps by dotted paths', () => {
    expect(expression({ set: { 'outputs.01A.status': 'failed' } })).toEqual({
      UpdateExpression: 'SET #n0.#n1.#n2 = :v0',
      ExpressionAttributeNames: { '#n0': 'outputs', '#n1': '01A', '#n2': 'status' },
      ExpressionAttributeValues: { ':v0': 'failed' },
    });
  });

  test('leaves out what is undefined', () => {
    expect(expression({ set: { name: undefined } }, { exists: false })).toEqual({
      ConditionExpression: 'attribute_not_exists(#n0)',
      ExpressionAttributeNames: { '#n0': 'pk' },
    });
  });
});
