import { describe, expect, test } from 'vitest';
import { isAsChanged } from '../../../../functions/table/items/is-as-changed.ts';

const item = { status: 'LEASED', lease: 'L1', leases: { 2: 'L1' }, error: { code: 'X', fatal: false } };

describe('an item looks changed', () => {
  test('when all set values are present, in maps too, and all removed ones are absent', () => {
    expect(isAsChanged(item, { set: { status: 'LEASED', 'leases.2': 'L1' }, remove: ['queueOrder', 'a.b'] })).toBe(
      true,
    );
    expect(isAsChanged(item, { set: { error: { fatal: false, code: 'X', more: undefined } } })).toBe(true);
    expect(isAsChanged(item, { set: { lease: 'L1', worker: undefined } })).toBe(true);
  });

  test.each([
    ['another value', { set: { lease: 'L2' } }],
    ['another value in a map', { set: { 'leases.2': 'L2' } }],
    ['a field that was to go', { set: { lease: 'L1' }, remove: ['status'] }],
    ['nothing to be seen by', { add: { attempt: 1 } }],
  ])('not when it has %s', (_, changes) => {
    expect(isAsChanged(item, changes)).toBe(false);
  });
});
