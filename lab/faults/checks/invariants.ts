import type { Account, Item } from '../../../test/journey/support/account.ts';
import type { StartedVideo } from '../injected/fault.ts';
import { leftOfDeliveries, wrongDeliveries } from './deliveries.ts';
import { unownedObjects } from './object-owners.ts';
import { isTerminal, jobsIn, reasonsIn, type VideoItem, videosIn } from './table-records.ts';

/** Everything that is stored while no work is in progress. */
export type Stored = {
  items: Item[];
  objectKeys: string[];
  openMultiparts: string[];
  runningExecutions: string[];
};

export async function readStored(account: Account): Promise<Stored> {
  const [items, objectKeys, openMultiparts, runningExecutions] = await Promise.all([
    account.items(),
    account.objectKeys(),
    account.openMultiparts(),
    account.runningExecutions(),
  ]);
  return { items, objectKeys, openMultiparts, runningExecutions };
}

/** Invariants of the stored data after all work has ended, whatever failed. Each violation is a sentence. */
export function violations(stored: Stored, started: readonly StartedVideo[]): string[] {
  const { items, objectKeys, runningExecutions } = stored;
  const videos = videosIn(items);
  const known = new Set(started.map(({ ulid }) => ulid));
  return [
    ...started.flatMap((video) => wrongEnding(video, items)),
    ...videos.filter(({ ulid }) => !known.has(ulid)).map(({ ulid }) => `${ulid} is a video without an upload`),
    ...wrongCounts(items, videos),
    ...wrongUsage(items),
    ...wrongDeliveries(items, started),
    ...jobsIn(items)
      .filter(({ status }) => status === 'QUEUED' || status === 'LEASED')
      .map(({ pk, sk, status }) => `the job ${pk} ${sk} is ${status}`),
    ...items
      .filter(({ kind, pk }) => (kind === 'working' || kind === 'stream-edit') && pk.startsWith('VIDEO#'))
      .map(({ pk, sk }) => `${pk} has a mark ${sk}`),
    ...runningExecutions.map((name) => `the execution ${name} runs`),
    ...unownedObjects(items, objectKeys).map((key) => `the object ${key} belongs to nothing`),
  ];
}

/** Data that must be removed after more than a week, when every retention has passed. */
export function remains({ items, objectKeys, openMultiparts }: Stored): string[] {
  return [
    ...openMultiparts.map((key) => `the multipart upload of ${key} is open`),
    ...objectKeys.filter((key) => key.startsWith('work/')).map((key) => `the work file ${key} is there`),
    ...videosIn(items)
      .filter(({ deletedAt }) => deletedAt !== undefined)
      .map(({ ulid }) => `${ulid} was deleted and has a record`),
    ...leftOfDeliveries(items, objectKeys),
    ...unownedObjects(items, objectKeys, { strictly: true }).map((key) => `the object ${key} is left over`),
  ];
}

function wrongEnding({ ulid, ends }: StartedVideo, items: readonly Item[]): string[] {
  const video = videosIn(items).find((one) => one.ulid === ulid);
  const isGone = !video || video.deletedAt !== undefined;
  if (ends === 'deleted') return isGone ? [] : [`${ulid} was deleted and is ${video.status}`];
  if (isGone) return ends === 'any' ? [] : [`${ulid} is gone`];
  if (!isTerminal(video)) return [`${ulid} is ${video.status} for ever`];
  if (ends === 'any') return [];
  const reasons = reasonsIn(items, ulid);
  const told = `${ulid} is ${video.status}: ${reasons[0] ?? 'without a reason'}`;
  if (ends === 'completed') return video.status === 'completed' ? [] : [told];
  if (video.status === 'completed') return ends === 'settled' ? [] : [told];
  const pattern = ends === 'settled' ? /^[A-Z][A-Z_]+: / : ends.failed;
  return reasons.some((reason) => pattern.test(reason)) ? [] : [told];
}

/** Stored counters must equal the counts of the records. */
function wrongCounts(items: readonly Item[], videos: readonly VideoItem[]): string[] {
  const there = videos.filter(({ deletedAt }) => deletedAt === undefined);
  const openUploads = items.filter(
    ({ kind, status }) => kind === 'upload' && (status === 'open' || status === 'completing'),
  );
  const count = (list: readonly Item[], field: string, ulid: string): number =>
    list.filter((one) => one[field] === ulid).length;
  const counts = items.filter(({ sk }) => sk === 'COUNTS');
  return [
    ...counts.flatMap(({ pk, videos: kept = 0, openUploads: opened = 0, references = 0 }) => {
      const [kind, ulid = ''] = pk.split('#');
      const wrong = (name: string, is: unknown, counted: number): string[] =>
        is === counted ? [] : [`${pk} counts ${is} ${name}, there are ${counted}`];
      if (kind === 'USER') {
        return [
          ...wrong('videos', kept, count(there, 'ownerUlid', ulid)),
          ...wrong('open uploads', opened, count(openUploads, 'ownerUlid', ulid)),
        ];
      }
      if (kind !== 'TEMPLATE') return [];
      const uses = count(there, 'templateUlid', ulid) + count(openUploads, 'templateUlid', ulid);
      return wrong('references', references, uses);
    }),
    ...items
      .filter(({ pk, count: slots }) => pk.startsWith('ADMISSION#') && slots !== undefined && slots !== 0)
      .map(({ count: slots }) => `${slots} videos have a place of those in work`),
  ];
}

/** Bytes and CPU time are counted once per upload and job, despite repetitions. Each violation is a sentence. */
function wrongUsage(items: readonly Item[]): string[] {
  const owners = new Map(videosIn(items).map(({ ulid, ownerUlid }) => [ulid, ownerUlid]));
  const expected = new Map<string, number>();
  const add = (ownerUlid: string | undefined, metric: string, amount: number): void => {
    const name = `${metric} of ${ownerUlid}`;
    expected.set(name, (expected.get(name) ?? 0) + amount);
  };
  for (const { ownerUlid, sourceBytes } of videosIn(items)) add(ownerUlid, 'upload_bytes', sourceBytes);
  for (const { videoUlid, status, result } of jobsIn(items)) {
    if (status === 'DONE')
      add(owners.get(videoUlid), 'encoding_cpu', Math.round((result as { cpuSeconds: number }).cpuSeconds * 1000));
  }
  const counted = new Map<string, number>();
  for (const { userUlid, metric, value } of items.filter(({ kind }) => kind === 'usage')) {
    const name = `${metric} of ${userUlid}`;
    counted.set(name, (counted.get(name) ?? 0) + Number(value));
  }
  return [...new Set([...expected.keys(), ...counted.keys()])]
    .filter((name) => (expected.get(name) ?? 0) !== (counted.get(name) ?? 0))
    .map((name) => `${counted.get(name) ?? 0} are counted as ${name}, there are ${expected.get(name) ?? 0}`);
}
