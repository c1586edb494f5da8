import { nowSeconds, timestamp } from '../../../shared/clock.ts';
import { uploadLimits } from '../../common/limits.ts';
import { ingestTransitions, statusesBefore } from '../../contracts/statuses.ts';
import type { Write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { ingestJobId } from '../job-id.ts';
import type { Ingest, IngestSource, Upload } from '../records.ts';
import { eventWrite } from './event-writes.ts';
import { storageUseBegins, storageUseEnds } from './storage-use-writes.ts';

/** How long an ingest is listed after its end. */
export const endedIngestSeconds = 30 * 24 * 3600;

/** The ingest of a new upload. Its user is listed, so that the schedule finds ingests that nothing else continues. */
export function ingestCreated(upload: Upload, from: IngestSource): Write[] {
  const { ulid, ownerUlid, fileName, externalUserId, externalResourceId, createdAt } = upload;
  const ingest: Ingest = {
    ulid,
    ownerUlid,
    status: 'pending',
    ...('url' in from
      ? { url: from.url, shownUrl: withoutSecrets(from.url) }
      : { storageUlid: from.storageUlid, storageKey: from.key, shownUrl: from.shownUrl }),
    fileName,
    maxBytes: uploadLimits.maxObjectBytes,
    source: null,
    externalUserId,
    externalResourceId,
    error: null,
    createdAt,
    endedAt: null,
  };
  return [
    { put: { ...keys.ingest(ulid), ...owned(ownerUlid, 'ingest', ulid), kind: 'ingest', ...ingest } },
    ingestingUser(ownerUlid),
    ...('url' in from ? [] : [storageUseBegins(from.storageUlid, 'ingests', [ownerUlid])]),
  ];
}

/** The ingest uses its storage no more, and its batch counts its end. */
const ingestEnded = ({ storageUlid, batchUlid }: Upload, how: 'stored' | 'failed' | 'removed'): Write[] => [
  ...(storageUlid === undefined ? [] : [storageUseEnds(storageUlid, 'ingests')]),
  ...(batchUlid === undefined ? [] : [{ update: keys.ingestBatch(batchUlid), add: { [how]: 1 } }]),
];

/** Lists a user among those who may have ingests to continue. */
export const ingestingUser = (userUlid: string) => ({
  update: keys.ingestSlots(userUlid),
  setIfAbsent: { count: 0 },
  set: { kind: 'ingest-slots', userUlid, addedAt: timestamp(), ...owned('all', 'ingesting', userUlid) },
});

/** User name, password and query of a URL can be secrets. */
function withoutSecrets(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}

/** The end of an ingest whose video is created. */
export const ingestStored = (upload: Upload): Write[] => [
  {
    update: keys.ingest(upload.ulid),
    set: { status: 'stored', ...ended() },
    remove: ['url'],
    when: { oneOf: { status: statusesBefore(ingestTransitions, 'stored') } },
  },
  ...ingestEnded(upload, 'stored'),
];

/** The end of an ingest whose file cannot be fetched, with its event. */
export const ingestFailed = (upload: Upload, error: string): Write[] => [
  {
    update: keys.ingest(upload.ulid),
    set: { status: 'failed', error, ...ended() },
    remove: ['url'],
    when: { oneOf: { status: statusesBefore(ingestTransitions, 'failed') } },
  },
  ingestJobDeletion(upload.ulid),
  ...ingestEnded(upload, 'failed'),
  eventWrite({
    type: 'ingest.failed',
    ownerUlid: upload.ownerUlid,
    externalUserId: upload.externalUserId,
    subject: { kind: 'ingest', ulid: upload.ulid },
  }),
];

export const ingestRemoved = (upload: Upload): Write[] => [
  { delete: keys.ingest(upload.ulid) },
  ingestJobDeletion(upload.ulid),
  ...ingestEnded(upload, 'removed'),
];

/** The worker that has the job stops with its next call. */
export const ingestJobDeletion = (ulid: string): Write => ({ delete: keys.job(ingestJobId(ulid)) });

const ended = () => ({ endedAt: timestamp(), expiresAt: nowSeconds() + endedIngestSeconds });
