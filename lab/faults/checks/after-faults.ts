import { clockOption } from '../service/clock-option.ts';
import type { RestartableService } from '../service/restartable-service.ts';
import { untilSettled } from '../service/settle.ts';
import type { CustomerStorage } from '../store/customer-storage.ts';
import type { Watches } from '../watched/watches.ts';
import { differingCopies } from './differing-copies.ts';
import { readStored, remains, type Stored, violations } from './invariants.ts';
import { differences, type MadeVideo, type References } from './references.ts';
import { videosIn } from './table-records.ts';

/** The lease of a frozen worker expires after 90 to 120 s, and a job has four attempts. */
const longestMs = 360_000;
/** Reconcile looks for missing job results after ten minutes. */
const reconcileSeconds = 15 * 60;
const daySeconds = 24 * 3600;

export type Ended = {
  stored: Stored;
  violations: string[];
  /** Videos that continued only after reconcile repaired what a kill had interrupted between two writes. */
  foundByReconcile: string[];
  /** what webhooks and viewers saw */
  watched: string[];
};

type Made = { started: readonly MadeVideo[]; references: References; watches: Watches; storage: CustomerStorage };

/** Waits until everything has ended and checks the invariants, then again with the clock more than a week ahead. */
export async function afterFaults(
  service: RestartableService,
  { started, references, watches, storage }: Made,
): Promise<Ended> {
  const { account } = service;
  const foundByReconcile = await untilSettled(account, started, longestMs);
  if (foundByReconcile.length > 0) {
    await putClock(service, reconcileSeconds);
    await account.invoke('reconcile');
    await untilSettled(account, started, longestMs);
  }
  // A video that was deleted while its execution ran keeps its slot until reap, which runs every minute.
  for (const name of ['reap', 'sweep']) await account.invoke(name);
  const stored = await readStored(account);
  const found = violations(stored, started);
  for (const video of completedOf(stored, started))
    found.push(...(await differences(service, video, references, stored)));
  const copies = await differingCopies(account, storage, stored);
  found.push(...copies.violations);
  const watched = await watches.check((aheadSeconds) => putClock(service, reconcileSeconds + aheadSeconds));
  found.push(...watched.violations);

  await putClock(service, 9 * daySeconds);
  for (const name of ['reap', 'reconcile', 'sweep', 'reconcile', 'sweep']) await account.invoke(name);
  const later = await readStored(account);
  found.push(...remains(later));
  const lost = completedOf(stored, started).map(({ ulid }) => ulid);
  const kept = new Set(videosIn(later.items).map(({ ulid }) => ulid));
  found.push(...lost.filter((ulid) => !kept.has(ulid)).map((ulid) => `${ulid} is gone a week later`));
  return { stored, violations: found, foundByReconcile, watched: [copies.summary, ...watched.summary] };
}

const putClock = (service: RestartableService, aheadSeconds: number): Promise<void> =>
  service.restart({ signal: 'SIGTERM', env: { NODE_OPTIONS: withClock(service, aheadSeconds) } });

const withClock = ({ env }: RestartableService, aheadSeconds: number): string =>
  [env().NODE_OPTIONS?.replace(/--import=\S*clock-ahead\S*/, ''), clockOption(aheadSeconds)].filter(Boolean).join(' ');

function completedOf({ items }: Stored, started: readonly MadeVideo[]): MadeVideo[] {
  const completed = new Set(
    videosIn(items)
      .filter(({ status, deletedAt }) => status === 'completed' && deletedAt === undefined)
      .map(({ ulid }) => ulid),
  );
  return started.filter(({ ulid }) => completed.has(ulid));
}
