import { expect, test } from 'vitest';
import { scaleOutDelayMs } from '../../src/lambda/scale-out-delay.ts';

test.each([
  ['short events', 5, false, 100],
  ['events that take a while', 150, false, 600],
  ['events that take minutes', 60_000, false, 1000],
  ['an instance that is loading', 5, true, 5000],
])('the delay is the duration of some invocations, within limits: %s', (_, typicalMs, isLoading, expectedMs) => {
  expect(scaleOutDelayMs(typicalMs, isLoading)).toBe(expectedMs);
});
