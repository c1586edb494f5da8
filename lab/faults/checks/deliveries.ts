import type { Item } from '../../../test/journey/support/account.ts';
import type { StartedVideo } from '../injected/fault.ts';
import { deliveredExtras } from '../templates.ts';
import { type VideoItem, videosIn } from './table-records.ts';

export type DeliveryItem = Item & {
  ulid: string;
  videoUlid: string;
  storageUlid: string;
  status: string;
  planNumber: number | null;
  listing: string | null;
  error: string | null;
  startedAt: string | null;
  endedAt: string | null;
};

export const deliveriesIn = (items: readonly Item[]): DeliveryItem[] =>
  items.filter(({ kind }) => kind === 'storage-delivery') as DeliveryItem[];

export const storagesIn = (items: readonly Item[]): Item[] => items.filter(({ sk }) => sk === 'STORAGE');

/** Invariants of the deliveries to storages after all work has ended. Each violation is a sentence. */
export function wrongDeliveries(items: readonly Item[], started: readonly StartedVideo[]): string[] {
  const videos = new Map(videosIn(items).map((video) => [video.ulid, video]));
  const deliveries = deliveriesIn(items);
  const jobs = items.filter(({ kind, pk }) => kind === 'deliver' && pk.startsWith('JOBS#'));
  return [
    ...deliveries.flatMap((delivery) => wrongEnd(delivery, videos.get(delivery.videoUlid), started)),
    ...deliveries.flatMap((delivery) => wrongEvents(delivery, videos.get(delivery.videoUlid), items)),
    ...started.flatMap(({ ulid, template, mayNotDeliver }) => {
      const video = videos.get(ulid);
      if (!deliveredExtras[template] || video?.status !== 'completed' || video.deletedAt !== undefined) return [];
      const isOfPlan = ({ videoUlid, planNumber, error }: DeliveryItem): boolean =>
        videoUlid === ulid && (planNumber === video.planNumber || mayNotDeliver?.test(error ?? '') === true);
      return deliveries.some(isOfPlan) ? [] : [`plan ${video.planNumber} of ${ulid} was not delivered`];
    }),
    ...jobs.map(({ pk, status }) => `the job ${pk} of a delivery is ${status}`),
    ...items
      .filter(({ kind }) => kind === 'open-storage-delivery')
      .map(({ pk, ulid }) => `the delivery ${ulid} is among the open ones of ${pk}`),
    ...storagesIn(items)
      .filter(({ deliveries: uses }) => uses !== 0)
      .map(({ ulid, deliveries: uses }) => `the storage ${ulid} is used by ${uses} deliveries`),
  ];
}

function wrongEnd(
  { ulid, videoUlid, status, error, endedAt }: DeliveryItem,
  video: VideoItem | undefined,
  started: readonly StartedVideo[],
): string[] {
  const told = `the delivery ${ulid} of ${videoUlid} is ${status}`;
  if (endedAt === null) return [`${told} for ever`];
  if (status === 'completed') return [];
  if (status !== 'failed') return [`${told} at its end`];
  // A user was told that the video was deleted, or that it was processed again.
  const isChanged = isGone(video) || Number(video?.executionCount) > 1;
  if (isChanged && error?.startsWith('VIDEO_CHANGED: ')) return [];
  const allowed = started.find((one) => one.ulid === videoUlid)?.mayNotDeliver;
  return allowed?.test(error ?? '') ? [] : [`${told}: ${error}`];
}

const isGone = (video: VideoItem | undefined): boolean => !video || video.deletedAt !== undefined;

/** The delivery of a deleted video may end without an event. */
function wrongEvents(
  { ulid, status, endedAt }: DeliveryItem,
  video: VideoItem | undefined,
  items: readonly Item[],
): string[] {
  const isOf = ({ kind, subject }: Item): boolean =>
    kind === 'event' && (subject as { kind: string; ulid: string }).ulid === ulid;
  const types = items.filter(isOf).map(({ type }) => String(type));
  if (endedAt === null || (isGone(video) && types.length === 0)) return [];
  const isRight = types.length === 1 && types[0] === `delivery.${status}`;
  return isRight ? [] : [`the delivery ${ulid} is ${status}, its events are [${types}]`];
}

/** What deliveries and storages have left after more than a week. Each violation is a sentence. */
export const leftOfDeliveries = (items: readonly Item[], objectKeys: readonly string[]): string[] => [
  ...objectKeys
    .filter((key) => /^plans\/[^/]+\/deliveries\//.test(key))
    .map((key) => `the file ${key} of a delivery is left over`),
  ...storagesIn(items)
    .filter(({ deletedAt }) => deletedAt !== undefined)
    .map(({ ulid }) => `the storage ${ulid} was deleted and has a record`),
  ...items
    .filter(({ kind, ownerKey }) => kind === 'delivering' && ownerKey !== undefined)
    .map(({ pk }) => `${pk} is listed as a user with deliveries`),
];
