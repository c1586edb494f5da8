import { expect, test } from 'vitest';
import { quotaShare } from '../../../dashboard/account/quota-share.ts';

test.each([
  [{ used: 0, reserved: 0 }, 100, { share: 0, state: 'free' }],
  [{ used: 50, reserved: 39 }, 100, { share: 0.89, state: 'free' }],
  [{ used: 50, reserved: 40 }, 100, { share: 0.9, state: 'near' }],
  [{ used: 100, reserved: 0 }, 100, { share: 1, state: 'over' }],
  [{ used: 170, reserved: 0 }, 100, { share: 1, state: 'over' }],
  [{ used: 0, reserved: 0 }, 0, { share: 1, state: 'over' }],
])('of %o and the limit %d', (use, limit, expected) => {
  expect(quotaShare(use, limit)).toEqual(expected);
});

test.each([null, undefined])('there is none for the limit %o', (limit) => {
  expect(quotaShare({ used: 5, reserved: 0 }, limit)).toBeUndefined();
});
