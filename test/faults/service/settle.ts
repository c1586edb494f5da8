import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, Item } from '../../journey/support/account.ts';
import { isTerminal, jobsIn, videosIn } from '../checks/table-records.ts';
import type { StartedVideo } from '../injected/fault.ts';

const lookEveryMs = 2_000;
/** Between two tries of a job there are seconds; what has none for as long waits for nobody who is still there. */
const longestIdleMs = 60_000;
const longestQueueMs = 300_000;

/** Waits until no more than so many videos are in work: faults that find their moment late are not among many others. Gives up after some minutes. */
export async function untilFewUnderWay(
  account: Account,
  started: readonly StartedVideo[],
  most: number,
): Promise<void> {
  const endMs = Date.now() + longestQueueMs;
  while (Date.now() < endMs && unended(await account.items(), started).length > most) await sleep(lookEveryMs);
}

/** Waits until every video has ended and no job is held, with the clock's minute shortened. Resolves with what has not ended in time. */
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
    const running = open.length + held.length > 0 ? 1 : (await account.runningExecutions()).length;
    if (held.length > 0) busyMs = Date.now();
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
