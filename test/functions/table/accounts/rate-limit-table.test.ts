import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { documents } from '../../../../functions/aws/table-client.ts';
import { newUlid } from '../../../../functions/common/ids.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The counter as one more process has it: knowing nothing of what the others count. */
async function instance() {
  vi.resetModules();
  return (await import('../../../../functions/table/accounts/rate-limit-table.ts')).countRequest;
}

test('a small limit is exact over all processes, and is reset each minute', async () => {
  const [one, two] = [await instance(), await instance()];
  const scope = newUlid();
  for (let request = 0; request < 5; request++) {
    expect((await (request % 2 ? one : two)(scope, 5)).exceeded).toBe(false);
  }
  expect((await one(scope, 5)).exceeded).toBe(true);
  expect((await two(scope, 5)).exceeded).toBe(true);
  vi.setSystemTime(Date.now() + 60_000);
  expect(await one(scope, 5)).toMatchObject({ exceeded: false, remaining: 4 });
});

test('a large limit is exceeded by at most a thirtieth for each process', async () => {
  const [one, two] = [await instance(), await instance()];
  const scope = newUlid();
  let passed = 0;
  for (let request = 0; request < 400; request++) {
    const { exceeded } = await (request % 2 ? one : two)(scope, 300);
    if (!exceeded) passed += 1;
  }
  expect(passed).toBeGreaterThanOrEqual(300);
  expect(passed).toBeLessThanOrEqual(320);
});

test('the first nine requests of a minute, and those over the limit, write nothing', async () => {
  const count = await instance();
  const scope = newUlid();
  const { documents: table } = await import('../../../../functions/aws/table-client.ts');
  expect(table).not.toBe(documents);
  const send = vi.spyOn(table, 'send');
  for (let request = 0; request < 9; request++) await count(scope, 300);
  expect(send).not.toHaveBeenCalled();
  for (let request = 9; request < 1000; request++) await count(scope, 300);
  expect(send.mock.calls.length).toBe(31);
});

test('a caller costs the same after thousands of others in the same minute', async () => {
  const count = await instance();
  for (let caller = 0; caller < 2000; caller++) await count(`default#${caller}`, 300);
  const walks = [vi.spyOn(Map.prototype, Symbol.iterator), vi.spyOn(Map.prototype, 'entries')];
  await count('default#another', 300);
  expect(walks.flatMap((walk) => walk.mock.calls)).toEqual([]);
  expect(await count('default#7', 300)).toMatchObject({ remaining: 298 });
});
