import { expect, test } from 'vitest';
import { stateOf } from '../../../dashboard/webhooks/webhook-properties.ts';

test('a webhook is active, switched off by its owner, or switched off by the service', () => {
  const disabled_at = '2026-11-22T10:00:00.000000Z';
  expect(stateOf({ active: true, disabled_at: null })).toBe('active');
  expect(stateOf({ active: false, disabled_at: null })).toBe('inactive');
  expect(stateOf({ active: false, disabled_at })).toBe('disabled');
});
