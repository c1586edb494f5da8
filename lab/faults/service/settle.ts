import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, Item } from '../../../test/journey/support/account.ts';
import { isTerminal, jobsIn, videosIn } from '../checks/table-records.ts';
import type { StartedVideo } from '../injected/fault.ts';

const lookEveryMs = 2_000;
/** Attempts of a job are seconds apart; an execution without a job for longer waits for a dead process. */
const longestIdleMs = 60_000;
const longestQueueMs = 300_000;

/** Waits until at most this many videos are running, so that late faults do not add up. Gives up after some minutes. */
export async function untilFewUnderWay(
  account: Account,
  started: readonly StartedVideo[],
  most: number,
): Promise<void> {
  const endMs = Date.now() + longestQueueMs;
  while (Date.now() < endMs && unended(await account.items(), started).length > most) await sleep(lookEveryMs);
}

/**
 * Waits until every video and delivery has ended and no job is leased, with a faster schedule. Returns what has not
 * ended in time.
 */
export async function untilSettled(
  account: Account,
  started: readonly StartedVideo[],
  longestMs: number,
): Promise<string[]> {
  const endMs = Date.now() + longestMs;
  let busyMs = Date.now();
  for (;;) {
    const items = await account.items();
    const open = unended(items, started);
    const held = jobsIn(items).filter(({ status }) => status === 'LEASED' || status === 'QUEUED');
    const copying = items.filter(({ kind }) => kind === 'open-storage-delivery');
    const busy = held.length + copying.length;
    const running = open.length + busy > 0 ? 1 : (await account.runningExecutions()).length;
    if (busy > 0) busyMs = Date.now();
    if (running === 0 || Date.now() > Math.min(endMs, busyMs + longestIdleMs)) return open;
    await account.invoke('reap');
    await sleep(lookEveryMs);
  }
}

function unended(items: readonly Item[], started: readonly StartedVideo[]): string[] {
  const ended = new Set(
    videosIn(items)
      .filter(isTerminal)
      .map(({ ulid }) => ulid),
  );
  return started.filter(({ ulid, ends }) => ends !== 'deleted' && !ended.has(ulid)).map(({ ulid }) => ulid);
}
