import { expect, test } from 'vitest';
import { throttleOperations } from '../../src/step-functions/api/throttled-operations.ts';

test('with chaos a share of the calls is throttled, but none of operations without such a limit', async () => {
  const numbers = [0.05, 0.5, 0.05];
  const call = throttleOperations(
    async (operation) => operation,
    { throttledShare: 0.1 },
    () => numbers.shift() ?? 0,
  );
  await expect(call('StartExecution', {})).rejects.toMatchObject({ name: 'ThrottlingException' });
  expect(await call('StartExecution', {})).toBe('StartExecution');
  expect(await call('ListExecutions', {})).toBe('ListExecutions');
  await expect(call('SendTaskSuccess', {})).rejects.toMatchObject({ name: 'ThrottlingException' });
});
