import { TooManyRequests } from 'embedded-aws';
import { expect, test, vi } from 'vitest';
import { whenNotThrottled } from '../../../local/server/when-not-throttled.ts';

test('a throttled invocation is repeated', async () => {
  const invoke = vi.fn().mockRejectedValueOnce(new TooManyRequests()).mockResolvedValueOnce('done');
  expect(await whenNotThrottled(invoke)).toBe('done');
  expect(invoke).toHaveBeenCalledTimes(2);
});

test('another error is not repeated', async () => {
  const invoke = vi.fn().mockRejectedValue(new Error('broken'));
  await expect(whenNotThrottled(invoke)).rejects.toThrow('broken');
  expect(invoke).toHaveBeenCalledTimes(1);
});
