import type { CaptionKind } from '../../../shared/captions/cue.ts';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { jobKinds } from '../../../shared/protocol/job-kinds.ts';
import type { JobKind } from '../../../shared/protocol/jobs.ts';
import type { JobId } from '../job-id.ts';
import { hash } from './due-keys.ts';

/**
 * The single table. Every item has `pk`, `sk` and `kind`; only this file, `queue-keys.ts` and `due-keys.ts` make and
 * read keys.
 *
 * | item | pk | sk | found through |
 * |---|---|---|---|
 * | user | USER#ulid | USER | id, e-mail, byOwner `all#user` |
 * | e-mail | EMAIL#address | EMAIL | unique address → user |
 * | administrator | ADMINISTRATORS | ulid of the user | kept in the transactions that change who is an administrator |
 * | user's counts | USER#ulid | COUNTS | videos, tokens, uploads: kept in the transaction of what is counted |
 * | session | SESSION#sha256 | SESSION | |
 * | network from which an account has signed in | KNOWN#sha256#sha256 | NETWORK | expires |
 * | API token | TOKEN#id | TOKEN | byOwner `user#token` |
 * | template | TEMPLATE#ulid | TEMPLATE | id, byOwner `user#template`, or `all#shared-template` |
 * | template's references | TEMPLATE#ulid | COUNTS | videos and open uploads that use it |
 * | reader of a template | TEMPLATE#ulid | READER#user#video | a video of the user that uses the template, also another user's template |
 * | storage: a bucket of a user | STORAGE#ulid | STORAGE | byOwner `user#storage`; counts the templates, deliveries and ingests that use it |
 * | check of a version of its secret | STORAGE_SECRET#ulid | version | `due`; also without the storage |
 * | image for watermarks | IMAGE#ulid | IMAGE | byOwner `user#image`; counts the templates that use it |
 * | upload | UPLOAD#ulid | UPLOAD | while open, byOwner `user#upload` and `due`; expires when it is aborted, or its file is deleted as a source or with its video |
 * | parts of a completion | UPLOAD#ulid | PARTS | for 24 h |
 * | source of an upload that a worker fetches | UPLOAD#ulid | INGEST | byOwner `user#ingest`; expires after its end |
 * | upload of a watched object | UPLOAD#sha256 | WATCHED | by key and ETag of the object |
 * | direct upload: what its token permits | UPLOAD#ulid | DIRECT | expires with the token |
 * | origin whose pages may use upload tokens | UPLOAD_ORIGIN#sha256 | ORIGIN | expires with the last of these tokens |
 * | video | VIDEO#ulid | VIDEO | id, byOwner `user#video` by creation, byStatus by status and creation |
 * | video in lists of its owner | LISTED#user | WORD#word#position, TEMPLATE#id#position, EXTERNAL#sha256#position, TAG#sha256#position | its ULID; kept in the transaction of what it is listed by |
 * | video in lists of its owner by what is said in it | LISTED#user | SPOKEN#word#position | its ULID; written in the transactions that change the words of its captions |
 * | words of a video's captions by which it is listed | SPOKEN#video | WORDS | |
 * | tag of a user's videos | TAGS#user | tag | how many videos have it; kept in the transactions that change them |
 * | its streams, outputs | VIDEO#ulid | STREAMS, OUTPUTS | one item each, maps by ULID: a page of videos is one batch read |
 * | its progress | VIDEO#ulid | PROGRESS | |
 * | its growing playlists | VIDEO#ulid | EARLY | |
 * | mark of a working video | VIDEO#ulid | WORKING | `due` while an execution works on it, byOwner `user#waiting` while it waits for a slot |
 * | end of the source's retention | VIDEO#ulid | SOURCE | `due`; deleted with the source |
 * | captions | VIDEO#ulid | CAPTION#language#kind | |
 * | version of a video's captions | VIDEO#ulid | CAPTIONS | raised with each change; `due` until the manifests list the change |
 * | stream edit | VIDEO#ulid | EDIT#plan | `due`; deleted when it ends |
 * | files to remove later | RETIRED#ulid | RETIRED | `due` from the time at which they may be deleted |
 * | deleted video | VIDEO#ulid | VIDEO | `due` until its files are deleted |
 * | deleted video whose files remain | SWEEP | video, expired#video | deleted with the files |
 * | change of a video's playback | PLAYBACK_CHANGES#shard | video | until every way of delivery has it |
 * | number of public videos | PUBLIC | COUNTS | kept in the transaction of what is counted |
 * | lease of the sweep that deletes them | SWEEPER | SWEEPER | a lease |
 * | node | NODE#ulid | NODE | id, byOwner `all#worker-node` or `all#proxy-node` by id; `due` when it is to be checked, and when it has failed |
 * | last run of a step on it | NODE#ulid | STEP#name | |
 * | node's address | ADDRESS#type#address | ADDRESS | unique address of a type |
 * | SSH key | SSH_KEY#ulid | SSH_KEY | id, byOwner `all#ssh-key` |
 * | SSH key's uses | SSH_KEY#ulid | COUNTS | nodes that use it |
 * | token of the pool's workers | POOL | TOKEN | its hash |
 * | early worker of a video | EARLY_WORKER#video | TOKEN | the hash of its token; expires |
 * | worker without a job | WORKER#node#worker | WORKER | `due` by its last call; expires |
 * | job | JOBS#video#plan | kind#group#index | `queue` under its user while queued; while leased, `leases` under its holder, `due` by expiry, and byOwner `all#straggler` when it takes too long |
 * | user's position in the queue | QUEUE#user | USER | `queue` under `users` while jobs may be queued |
 * | mark of spread users | QUEUE#SPREAD | MARK | `queue` before the users, while they are spread over several partitions |
 * | ingests of all objects below a prefix | INGEST_BATCH#ulid | BATCH | byOwner `user#ingest-batch`; expires after its end |
 * | user's ingests that have a slot | QUEUE#user | INGESTS | byOwner `all#ingesting` while the user has any |
 * | user with open storage deliveries | QUEUE#user | DELIVERIES | byOwner `all#delivering` while the user may have any |
 * | when the next transcriptions of a user begin | QUEUE#user | TRANSCRIPTIONS | expires |
 * | open storage delivery of a user | QUEUE#user | DELIVERY#ulid | the first ones run; deleted when it ends |
 * | storage delivery: a copy of a video's files | STORAGE_DELIVERY#ulid | DELIVERY | byOwner `video#storage-delivery`; expires after its end |
 * | slot of a video | ADMISSION#video | SLOT | byOwner `user#admitted`, `due` |
 * | how many slots are taken | ADMISSION#number | COUNT | each with a part of the limit |
 * | user with waiting videos | WAITING#user | USER | byOwner `all#waiting-user`, in order of the last start |
 * | version of an encoder that encodes a plan | ENCODERS#video#plan | codec | expires |
 * | recent launches of tasks | LAUNCHES | LAUNCHES | a map: what each has reserved and started |
 * | position of a scan of the bucket | SCAN#name | SCAN | with the time at which the pass began |
 * | work that is done once in each period | PERIOD#name | PERIOD | when it is due again |
 * | capacity of all nodes | NODE_CAPACITY | CAPACITY | a sum, written with what each node adds |
 * | id | ID#kind#integer or ulid | ID | record behind an id that does not name its key |
 * | counter | COUNTER#kind | COUNTER | the last integer id given out; how many administrators there are |
 * | how many users or nodes there are | COUNTER#kind | TOTAL#shard | a sum: see `sums.ts` |
 * | usage of a day | USAGE#user#DAY#shard | day#metric#external# | a sum in several partitions |
 * | usage of a month | USAGE#user#MONTH#shard | month#metric# | a sum in several partitions, written with the usage of a day |
 * | reservation | QUOTA#user | HELD#UPLOAD#ulid, HELD#RUN#video#plan, HELD#SPEECH#video#request | held of a quota; `due` |
 * | version of a user's reservations | QUOTA#user | VERSION | |
 * | analytics | ANALYTICS#shard | day# | a sum in several partitions |
 * | counted access log | LOG#object key | LOG | expires |
 * | video counted of an access log | LOG#object key | VIDEO#video | what the log has added to its views; expires |
 * | views of a video on a day | VIEWS#video | day# | a sum; expires |
 * | owner of a deleted video | VIEWS#video | OWNER | for access logs that come later; expires |
 * | video watched on a day | WATCHED#day#shard | owner#video# | a sum; expires |
 * | what viewers cause on a day | USAGE#user#DAY#shard | day#viewing#external# | a sum in several partitions |
 * | secret of a day, by which viewers of public videos are told apart | VIEWER_SECRET#day | SECRET | expires |
 * | playback session | PLAYBACK#session | PLAYBACK | which log has counted it; expires |
 * | bytes that a user stores | STORED#user | TOTAL#external, DAY#day#external | in total, and the largest of each day on which they changed |
 * | bytes that are counted of a video | STORED_VIDEO#video | VIDEO | |
 * | activity | ACTIVITY#user | ulid | |
 * | count of activity lines | USER#ulid | ACTIVITY | |
 * | rate | RATE#scope | window | expires |
 * | request with an Idempotency-Key | REQUEST#sha256 | REQUEST | its response; expires |
 * | event | EVENT#user, EVENT#administrators | ulid | written with the change that it reports; byOwner `all#event` until it is dispatched; expires |
 * | webhook | WEBHOOKS#user | ulid | id |
 * | event sent to a webhook | DELIVERIES#webhook | ulid of the event | expires |
 * | delivery that is to be sent | DUE#webhook | time#ulid | byOwner `all#due`; while it is sent, the time at which it is sent again if the sender died |
 * | attempt to a webhook that is being made | SLOTS#webhook | number | a lease; expires |
 * | sender of webhooks that runs | SLOTS#all | number | a lease; expires |
 * | webhook that a running sender is asked to serve | SLOTS#wanted | webhook | expires |
 */
export type Key = { pk: string; sk: string };

/** One of the items of a sum. `number` is below the number of its shards, of which each has `spare` items too. */
export type Shard = { number: number; spare?: string };

export const keys = {
  user: (ulid: string): Key => ({ pk: `USER#${ulid}`, sk: 'USER' }),
  administrator: (userUlid: string): Key => ({ pk: 'ADMINISTRATORS', sk: userUlid }),
  userCounts: (ulid: string): Key => ({ pk: `USER#${ulid}`, sk: 'COUNTS' }),
  email: (address: string): Key => ({ pk: `EMAIL#${address.toLowerCase()}`, sk: 'EMAIL' }),
  session: (sha256: string): Key => ({ pk: `SESSION#${sha256}`, sk: 'SESSION' }),
  knownNetwork: (account: string, network: string): Key => ({ pk: `KNOWN#${account}#${network}`, sk: 'NETWORK' }),
  token: (id: number): Key => ({ pk: `TOKEN#${id}`, sk: 'TOKEN' }),
  template: (ulid: string): Key => ({ pk: `TEMPLATE#${ulid}`, sk: 'TEMPLATE' }),
  templateCounts: (ulid: string): Key => ({ pk: `TEMPLATE#${ulid}`, sk: 'COUNTS' }),
  templateReader: (ulid: string, userUlid: string, videoUlid = ''): Key => ({
    pk: `TEMPLATE#${ulid}`,
    sk: `READER#${userUlid}#${videoUlid}`,
  }),
  ingestBatch: (ulid: string): Key => ({ pk: `INGEST_BATCH#${ulid}`, sk: 'BATCH' }),
  storage: (ulid: string): Key => ({ pk: `STORAGE#${ulid}`, sk: 'STORAGE' }),
  secretCheck: (storageUlid: string, version: number): Key => ({
    pk: `STORAGE_SECRET#${storageUlid}`,
    sk: String(version),
  }),
  image: (ulid: string): Key => ({ pk: `IMAGE#${ulid}`, sk: 'IMAGE' }),
  upload: (ulid: string): Key => ({ pk: `UPLOAD#${ulid}`, sk: 'UPLOAD' }),
  uploadParts: (ulid: string): Key => ({ pk: `UPLOAD#${ulid}`, sk: 'PARTS' }),
  watchedObject: (sha256: string): Key => ({ pk: `UPLOAD#${sha256}`, sk: 'WATCHED' }),
  ingest: (ulid: string): Key => ({ pk: `UPLOAD#${ulid}`, sk: 'INGEST' }),
  directUpload: (ulid: string): Key => ({ pk: `UPLOAD#${ulid}`, sk: 'DIRECT' }),
  uploadOrigin: (sha256: string): Key => ({ pk: `UPLOAD_ORIGIN#${sha256}`, sk: 'ORIGIN' }),
  video: (ulid: string): Key => ({ pk: `VIDEO#${ulid}`, sk: 'VIDEO' }),
  /** `value` has no `#`, which separates it from the position */
  listed: (ownerUlid: string, by: ListedBy, value: string, position: string): Key => ({
    pk: `LISTED#${ownerUlid}`,
    sk: `${by}#${value}#${position}`,
  }),
  transcriptWords: (videoUlid: string): Key => ({ pk: `SPOKEN#${videoUlid}`, sk: 'WORDS' }),
  tag: (ownerUlid: string, tag: string): Key => ({ pk: `TAGS#${ownerUlid}`, sk: tag }),
  streams: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'STREAMS' }),
  outputs: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'OUTPUTS' }),
  progress: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'PROGRESS' }),
  earlyPlayback: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'EARLY' }),
  working: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'WORKING' }),
  jobs: (videoUlid: string, planNumber: number): string => `JOBS#${videoUlid}#${planNumber}`,
  job: (id: JobId): Key => ({ pk: keys.jobs(id.videoUlid, id.planNumber), sk: jobSort(id) }),
  transcriptionTurn: (userUlid: string): Key => ({ pk: `QUEUE#${userUlid}`, sk: 'TRANSCRIPTIONS' }),
  planEncoder: (videoUlid: string, planNumber: number, codec: VideoCodec): Key => ({
    pk: `ENCODERS#${videoUlid}#${planNumber}`,
    sk: codec,
  }),
  streamEdit: (videoUlid: string, planNumber: number): Key => ({
    pk: `VIDEO#${videoUlid}`,
    sk: `EDIT#${planNumber}`,
  }),
  /** what the keys of a video's stream edits begin with */
  streamEdits: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'EDIT#' }),
  sourceRetention: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'SOURCE' }),
  caption: (videoUlid: string, language: string, kind: CaptionKind): Key => ({
    pk: `VIDEO#${videoUlid}`,
    sk: `CAPTION#${language}#${kind}`,
  }),
  captionsVersion: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'CAPTIONS' }),
  /** what the keys of a video's captions and of their version begin with */
  captions: (videoUlid: string): Key => ({ pk: `VIDEO#${videoUlid}`, sk: 'CAPTION' }),
  /** `position`: see `sweepPosition` */
  waitingSweep: (position: string): Key => ({ pk: 'SWEEP', sk: position }),
  playbackChanges: (shard: number): string => `PLAYBACK_CHANGES#${shard}`,
  playbackChange: (videoUlid: string): Key => ({
    pk: keys.playbackChanges(hash(videoUlid) % playbackShards),
    sk: videoUlid,
  }),
  publicVideos: (): Key => ({ pk: 'PUBLIC', sk: 'COUNTS' }),
  sweeper: (): Key => ({ pk: 'SWEEPER', sk: 'SWEEPER' }),
  retired: (ulid: string): Key => ({ pk: `RETIRED#${ulid}`, sk: 'RETIRED' }),
  node: (ulid: string): Key => ({ pk: `NODE#${ulid}`, sk: 'NODE' }),
  nodeStep: (ulid: string, step: string): Key => ({ pk: `NODE#${ulid}`, sk: `STEP#${step}` }),
  queueUser: (userUlid: string): Key => ({ pk: `QUEUE#${userUlid}`, sk: 'USER' }),
  queueMark: (name: 'SPREAD'): Key => ({ pk: `QUEUE#${name}`, sk: 'MARK' }),
  ingestSlots: (userUlid: string): Key => ({ pk: `QUEUE#${userUlid}`, sk: 'INGESTS' }),
  delivering: (userUlid: string): Key => ({ pk: `QUEUE#${userUlid}`, sk: 'DELIVERIES' }),
  openStorageDelivery: (userUlid: string, ulid: string): Key => ({ pk: `QUEUE#${userUlid}`, sk: `DELIVERY#${ulid}` }),
  storageDelivery: (ulid: string): Key => ({ pk: `STORAGE_DELIVERY#${ulid}`, sk: 'DELIVERY' }),
  slot: (videoUlid: string): Key => ({ pk: `ADMISSION#${videoUlid}`, sk: 'SLOT' }),
  slotCount: (part: number): Key => ({ pk: `ADMISSION#${part}`, sk: 'COUNT' }),
  waitingUser: (userUlid: string): Key => ({ pk: `WAITING#${userUlid}`, sk: 'USER' }),
  launches: (): Key => ({ pk: 'LAUNCHES', sk: 'LAUNCHES' }),
  period: (name: string): Key => ({ pk: `PERIOD#${name}`, sk: 'PERIOD' }),
  nodeCapacity: (): Key => ({ pk: 'NODE_CAPACITY', sk: 'CAPACITY' }),
  scan: (name: string): Key => ({ pk: `SCAN#${name}`, sk: 'SCAN' }),
  nodeAddress: (type: string, ipAddress: string): Key => ({ pk: `ADDRESS#${type}#${ipAddress}`, sk: 'ADDRESS' }),
  sshKey: (ulid: string): Key => ({ pk: `SSH_KEY#${ulid}`, sk: 'SSH_KEY' }),
  sshKeyCounts: (ulid: string): Key => ({ pk: `SSH_KEY#${ulid}`, sk: 'COUNTS' }),
  worker: (node: string, worker: string): Key => ({ pk: `WORKER#${node}#${worker}`, sk: 'WORKER' }),
  earlyWorker: (videoUlid: string): Key => ({ pk: `EARLY_WORKER#${videoUlid}`, sk: 'TOKEN' }),
  poolToken: (): Key => ({ pk: 'POOL', sk: 'TOKEN' }),
  id: (kind: IdKind, id: number | string): Key => ({ pk: `ID#${kind}#${id}`, sk: 'ID' }),
  counter: (kind: IdKind | 'token' | 'administrator'): Key => ({ pk: `COUNTER#${kind}`, sk: 'COUNTER' }),
  total: (kind: CountedKind, { number, spare = '' }: Shard): Key => ({
    pk: `COUNTER#${kind}`,
    sk: `${totalPrefix}${number}${spare}`,
  }),
  usage: (
    userUlid: string,
    day: string,
    metric: string,
    externalUserId: string | null,
    { number, spare = '' }: Shard,
  ) => ({
    pk: `USAGE#${userUlid}#DAY#${number}`,
    // null and the empty string must be different rows
    sk: `${day}#${metric}#${externalUserId === null ? '' : `=${externalUserId}`}#${spare}`,
  }),
  usageMonth: (userUlid: string, month: string, metric: string, { number, spare = '' }: Shard): Key => ({
    pk: `USAGE#${userUlid}#MONTH#${number}`,
    sk: `${usageMonthPrefix(month)}${metric}#${spare}`,
  }),
  quotaVersion: (userUlid: string): Key => ({ pk: `QUOTA#${userUlid}`, sk: 'VERSION' }),
  uploadReservation: (userUlid: string, uploadUlid: string): Key => ({
    pk: `QUOTA#${userUlid}`,
    sk: `HELD#UPLOAD#${uploadUlid}`,
  }),
  runReservation: (userUlid: string, videoUlid: string, planNumber: number | '' = ''): Key => ({
    pk: `QUOTA#${userUlid}`,
    sk: `HELD#RUN#${videoUlid}#${planNumber}`,
  }),
  speechReservation: (userUlid: string, videoUlid: string, request = ''): Key => ({
    pk: `QUOTA#${userUlid}`,
    sk: `HELD#SPEECH#${videoUlid}#${request}`,
  }),
  /** what the keys of a user's reservations begin with */
  reservations: (userUlid: string): Key => ({ pk: `QUOTA#${userUlid}`, sk: 'HELD#' }),
  analytics: (day: string, { number, spare = '' }: Shard): Key => ({
    pk: `ANALYTICS#${number}`,
    sk: `${day}#${spare}`,
  }),
  countedLog: (objectKey: string): Key => ({ pk: `LOG#${objectKey}`, sk: 'LOG' }),
  countedVideo: (objectKey: string, videoUlid: string): Key => ({ pk: `LOG#${objectKey}`, sk: `VIDEO#${videoUlid}` }),
  videoDay: (videoUlid: string, date: string, { spare = '' }: Shard): Key => ({
    pk: `VIEWS#${videoUlid}`,
    sk: `${date}#${spare}`,
  }),
  formerOwner: (videoUlid: string): Key => ({ pk: `VIEWS#${videoUlid}`, sk: 'OWNER' }),
  watchedVideos: (date: string, shard: number): string => `WATCHED#${date}#${shard}`,
  watchedVideo: (date: string, shard: number, ownerUlid: string, videoUlid: string, { spare = '' }: Shard): Key => ({
    pk: keys.watchedVideos(date, shard),
    sk: `${ownerUlid}#${videoUlid}#${spare}`,
  }),
  storedTotal: (userUlid: string, externalUserId: string | null): Key => ({
    pk: `STORED#${userUlid}`,
    sk: `${storedTotalPrefix}${externalUserId === null ? '' : `=${externalUserId}`}`,
  }),
  storedDay: (userUlid: string, date: string, externalUserId: string | null): Key => ({
    pk: `STORED#${userUlid}`,
    sk: `${storedDayPrefix}${date}#${externalUserId === null ? '' : `=${externalUserId}`}`,
  }),
  storedVideo: (videoUlid: string): Key => ({ pk: `STORED_VIDEO#${videoUlid}`, sk: 'VIDEO' }),
  viewerSecret: (date: string): Key => ({ pk: `VIEWER_SECRET#${date}`, sk: 'SECRET' }),
  playback: (session: string): Key => ({ pk: `PLAYBACK#${session}`, sk: 'PLAYBACK' }),
  activity: (userUlid: string, ulid: string): Key => ({ pk: `ACTIVITY#${userUlid}`, sk: ulid }),
  activityCount: (userUlid: string): Key => ({ pk: `USER#${userUlid}`, sk: 'ACTIVITY' }),
  /** without an owner: an event of the administrators */
  event: (ownerUlid: string | null, ulid: string): Key => ({ pk: `EVENT#${ownerUlid ?? 'administrators'}`, sk: ulid }),
  webhook: (ownerUlid: string, ulid: string): Key => ({ pk: `WEBHOOKS#${ownerUlid}`, sk: ulid }),
  delivery: (webhookUlid: string, ulid: string): Key => ({ pk: `DELIVERIES#${webhookUlid}`, sk: ulid }),
  dueDelivery: (webhookUlid: string, position: string): Key => ({ pk: `DUE#${webhookUlid}`, sk: position }),
  sendSlot: (of: string, name: number | string): Key => ({ pk: `SLOTS#${of}`, sk: String(name) }),
  rate: (scope: string, window: number): Key => ({ pk: `RATE#${scope}`, sk: String(window) }),
  keyedRequest: (sha256: string): Key => ({ pk: `REQUEST#${sha256}`, sk: 'REQUEST' }),
} as const;

export type IdKind = 'user' | 'template' | 'video' | 'stream' | 'output' | 'node' | 'ssh-key' | 'webhook';

/** Partitions of changes of playback. Each deletion starts a run that reads those that are waiting. */
export const playbackShards = 8;

/** Records whose number is kept. */
export type CountedKind = 'user' | 'node';

export const totalPrefix = 'TOTAL#';

/** What the sort keys of a user's watched videos begin with. */
export const watchedPrefix = (ownerUlid: string): string => `${ownerUlid}#`;

export const storedTotalPrefix = 'TOTAL#';
export const storedDayPrefix = 'DAY#';

/** What lists of a user's videos are made by, besides their status. */
export type ListedBy = 'WORD' | 'SPOKEN' | 'TEMPLATE' | 'EXTERNAL' | 'TAG';

/** The value and the position in the key of a listed video. */
export function listedPosition({ sk }: Pick<Key, 'sk'>): { value: string; position: string } {
  const [, value = '', position = ''] = sk.split('#');
  return { value, position };
}

/** What the sort keys of a month's usage begin with. */
export const usageMonthPrefix = (month: string): string => `${month}#`;

/** What a reservation is held for. */
export type ReservedFor =
  | { uploadUlid: string }
  | { videoUlid: string; planNumber: number }
  | { videoUlid: string; request: string };

export function reservedFor({ sk }: Pick<Key, 'sk'>): ReservedFor {
  const [, kind, ulid = '', part = ''] = sk.split('#');
  if (kind === 'UPLOAD') return { uploadUlid: ulid };
  return kind === 'SPEECH' ? { videoUlid: ulid, request: part } : { videoUlid: ulid, planNumber: Number(part) };
}

/** What the sort keys of the jobs of one kind begin with. */
export const jobKindPrefix = (kind: JobKind): string => `${kind}#`;

const jobSort = ({ kind, group, index }: JobId): string =>
  `${jobKindPrefix(kind)}${String(group).padStart(2, '0')}#${String(index).padStart(5, '0')}`;

/** The job that a key belongs to. */
export function jobIdOf({ pk, sk }: Key): JobId {
  const [, videoUlid = '', planNumber] = pk.split('#');
  const [kindText, group, index] = sk.split('#');
  const kind = jobKinds.find((known) => known === kindText);
  if (!kind) throw new Error(`the key ${pk} ${sk} is not the key of a job`);
  return { videoUlid, planNumber: Number(planNumber), kind, group: Number(group), index: Number(index) };
}

/**
 * The list of leased jobs that a job is in. A node has few workers. The pool may have thousands, whose leases would be
 * too many writes for one partition of the index.
 */
export const leaseList = (holder: string, worker: string, pool: string): string =>
  holder === pool ? `${holder}#${worker}` : holder;

/** Estimates may be wrong for many jobs at once, so that the list of possible stragglers is divided. */
const stragglerListCount = 4;
const stragglerList = (number: number): string => `straggler#${number}`;
export const stragglerLists = (): string[] =>
  Array.from({ length: stragglerListCount }, (_, number) => listKey('all', stragglerList(number)));

/** A job's position among possible stragglers, those that were leased first in front. */
export const stragglerPosition = ({ videoUlid, leasedAt = '' }: { videoUlid: string; leasedAt?: string | undefined }) =>
  owned('all', stragglerList((videoUlid.codePointAt(videoUlid.length - 1) ?? 0) % stragglerListCount), leasedAt);

/** The position of a deleted video among those that are to be swept: the expired ones are behind all others. */
export const sweepPosition = (videoUlid: string, isExpired: boolean): string =>
  isExpired ? `expired#${videoUlid}` : videoUlid;

export const ulidOfSweep = (position: string): string => position.slice(position.indexOf('#') + 1);

/** A user's position in the line of users with waiting videos. */
export const lineOrder = (since: string, userUlid: string): string => `${since}#${userUlid}`;

/** The ULID in the partition key of a record that is found by its ULID alone. */
export const ulidIn = ({ pk }: Pick<Key, 'pk'>): string => pk.slice(pk.indexOf('#') + 1);

/** A delivery's position among those that are to be sent, in order of time. */
export const duePosition = (atMilliseconds: number, ulid: string): string =>
  `${String(atMilliseconds).padStart(15, '0')}#${ulid}`;

export function dueOf({ pk, sk }: Key): { webhookUlid: string; ulid: string; atMilliseconds: number } {
  const [milliseconds, ulid = ''] = sk.split('#');
  return { webhookUlid: ulidIn({ pk }), ulid, atMilliseconds: Number(milliseconds) };
}

/** The range of sort keys that begin with a day from one to another, both included. `$` sorts after `#`. */
export const dayRange = (fromDay: string, toDay: string) => ({ from: `${fromDay}#`, to: `${toDay}$` });

/** The list that a record is in, and its position there: the keys of the index `byOwner`. */
export const owned = (ownerUlid: string, kind: string, sort: string): { ownerKey: string; ownerSort: string } => ({
  ownerKey: `${ownerUlid}#${kind}`,
  ownerSort: sort,
});

/** A video's position in its owner's list of one status: the sort key of the index `byStatus`. */
export const statusSort = (status: string, position: string): string => `${status}#${position}`;

/** The key of such a list: all records of a kind that an owner has, or that `all` lists for the service itself. */
export const listKey = (ownerUlid: string, kind: string): string => owned(ownerUlid, kind, '').ownerKey;
