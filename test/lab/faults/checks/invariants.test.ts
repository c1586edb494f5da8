import { expect, test } from 'vitest';
import { remains, type Stored, violations } from '../../../../lab/faults/checks/invariants.ts';
import type { StartedVideo } from '../../../../lab/faults/injected/fault.ts';
import type { Item } from '../../../journey/support/account.ts';

const ulid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
const lostUlid = '01K9Z3Q8V7N4T2M6X5C0R1B2D4';
const started: StartedVideo = { ulid, template: 'quick', ends: 'completed' };
const notDelivered: StartedVideo = { ...started, template: 'slow' };
const sourceKey = `uploads/u/${ulid}/clip.mp4`;
const video = {
  pk: `VIDEO#${ulid}`,
  sk: 'VIDEO',
  kind: 'video',
  ulid,
  ownerUlid: 'u',
  templateUlid: 't',
  status: 'completed',
  planNumber: 1,
  sourceKey,
  sourceBytes: 5,
};
const outputs = { pk: `VIDEO#${ulid}`, sk: 'OUTPUTS', kind: 'outputs', outputs: { o: { errorLog: null } } };
const job = {
  pk: `JOBS#${ulid}#1`,
  sk: 'encode-video#00#00000',
  kind: 'encode-video',
  videoUlid: ulid,
  planNumber: 1,
  status: 'DONE',
  attempt: 2,
  result: { cpuSeconds: 1.5 },
};
const userCounts = { pk: 'USER#u', sk: 'COUNTS', kind: 'counts', videos: 1 };
const templateCounts = { pk: 'TEMPLATE#t', sk: 'COUNTS', kind: 'counts', references: 1 };
const usageOf = (metric: string, value: number) => ({
  pk: 'USAGE#u',
  sk: `2026-11-21#${metric}#`,
  kind: 'usage',
  userUlid: 'u',
  metric,
  value,
});
const items: Item[] = [
  video,
  outputs,
  job,
  userCounts,
  templateCounts,
  usageOf('upload_bytes', 5),
  usageOf('encoding_cpu', 1500),
];
const segment = `videos/${ulid}/r1/encode-video-00-00000-a2/v/00000.m4s`;
const whole: Stored = {
  items,
  objectKeys: [sourceKey, segment, `videos/${ulid}/o/1/master.m3u8`, `plans/${ulid}/1.json`],
  openMultiparts: [],
  runningExecutions: [],
};
const replaced = (old: Item, changes: object): Stored => ({
  ...whole,
  items: items.map((item) => (item === old ? { ...item, ...changes } : item)),
});
const withItem = (item: Item): Stored => ({ ...whole, items: [...items, item] });

test('an undisturbed video violates no invariant', () => {
  expect([...violations(whole, [notDelivered]), ...remains(whole)]).toEqual([]);
});

test.each<[string, Stored, StartedVideo[], RegExp]>([
  ['a video that failed', replaced(video, { status: 'failed' }), [notDelivered], /is failed: without a reason/],
  ['a video that does not end', replaced(video, { status: 'running' }), [notDelivered], /is running for ever/],
  ['a video that is gone', whole, [notDelivered, { ...notDelivered, ulid: lostUlid }], /is gone/],
  [
    'a video that was created twice',
    withItem({ ...video, ulid: lostUlid, ownerUlid: 'v' }),
    [notDelivered],
    /without an upload/,
  ],
  ['a wrong count of videos', replaced(userCounts, { videos: 2 }), [notDelivered], /counts 2 videos, there are 1/],
  [
    'a wrong count of uploads',
    replaced(userCounts, { openUploads: 1 }),
    [notDelivered],
    /counts 1 open uploads, there are 0/,
  ],
  ['a wrong count of uses', replaced(templateCounts, { references: 0 }), [notDelivered], /counts 0 references/],
  ['CPU time counted twice', replaced(items[6]!, { value: 3000 }), [notDelivered], /3000 are counted as encoding_cpu/],
  ['a job in the queue', replaced(job, { status: 'QUEUED', result: undefined }), [notDelivered], /is QUEUED/],
  ['an execution without end', { ...whole, runningExecutions: ['x'] }, [notDelivered], /the execution x runs/],
  [
    'a mark of work',
    withItem({ pk: `VIDEO#${ulid}`, sk: 'WORKING', kind: 'working' }),
    [notDelivered],
    /has a mark WORKING/,
  ],
  [
    'an object without a record',
    { ...whole, objectKeys: [`videos/${lostUlid}/a`] },
    [notDelivered],
    /belongs to nothing/,
  ],
  [
    'an object of a deleted video',
    replaced(video, { deletedAt: 'x' }),
    [{ ...notDelivered, ends: 'deleted' }],
    /belongs to nothing/,
  ],
])('%s is a violation', (_, stored, videos, sentence) => {
  expect(violations(stored, videos).join('\n')).toMatch(sentence);
});

const delivery = {
  pk: 'STORAGE_DELIVERY#d',
  sk: 'DELIVERY',
  kind: 'storage-delivery',
  ulid: 'd',
  videoUlid: ulid,
  storageUlid: 's',
  status: 'completed',
  planNumber: 1,
  listing: 'list',
  error: null as string | null,
  startedAt: 'x',
  endedAt: 'x' as string | null,
};
const storage = { pk: 'STORAGE#s', sk: 'STORAGE', kind: 's3', ulid: 's', deliveries: 0 };
const told = (outcome: string) => ({
  pk: 'EVENT#u',
  sk: outcome,
  kind: 'event',
  type: `delivery.${outcome}`,
  subject: { kind: 'delivery', videoUlid: ulid, ulid: 'd' },
});
const delivered = (changes: Partial<typeof delivery> = {}, more: Item[] = [told('completed')]): Stored => ({
  ...whole,
  items: [...items, storage, { ...delivery, ...changes }, ...more],
});
const lost = 'STORAGE_GONE: The owner of the video has no such storage.';
const changed = 'VIDEO_CHANGED: The video was processed again.';

test('a delivery may end with its files, or with a cause that has occurred', () => {
  expect([...violations(delivered(), [started]), ...remains(delivered())]).toEqual([]);
  const failed = (error: string) => delivered({ status: 'failed', error }, [told('failed')]);
  expect(violations(failed(lost), [{ ...started, mayNotDeliver: /^STORAGE_GONE: / }])).toEqual([]);
  const again = failed(changed).items.map((item) => (item === video ? { ...video, executionCount: 2 } : item));
  expect(violations({ ...whole, items: again }, [started])).toEqual([]);
});

test.each<[string, Stored, RegExp]>([
  ['a delivery without end', delivered({ status: 'running', endedAt: null }, []), /is running for ever/],
  ['a delivery that failed without a reason', delivered({ status: 'failed' }, [told('failed')]), /is failed: null/],
  [
    'a delivery that failed with the cause of another',
    delivered({ status: 'failed', error: lost }, [told('failed')]),
    /is failed: STORAGE_GONE/,
  ],
  [
    'a change that did not happen',
    delivered({ status: 'failed', error: changed }, [told('failed')]),
    /is failed: VIDEO_CHANGED/,
  ],
  ['a delivery of an earlier plan', delivered({ planNumber: 0 }), /plan 1 of .* was not delivered/],
  ['an end that nobody was told', delivered({}, []), /its events are \[\]/],
  ['another end than was told', delivered({}, [told('failed')]), /its events are \[delivery.failed\]/],
  ['an end that was told twice', delivered({}, [told('completed'), told('completed')]), /its events are/],
  [
    'a job that was left',
    delivered({}, [told('completed'), { pk: 'JOBS#d#0', sk: 'deliver-00-00000', kind: 'deliver', status: 'FAILED' }]),
    /the job JOBS#d#0 of a delivery is FAILED/,
  ],
  [
    'an entry among the open ones',
    delivered({}, [told('completed'), { pk: 'QUEUE#u', sk: 'DELIVERY#d', kind: 'open-storage-delivery', ulid: 'd' }]),
    /the delivery d is among the open ones of QUEUE#u/,
  ],
  [
    'a use of a storage',
    delivered({}, [told('completed'), { ...storage, ulid: 't', deliveries: 1 }]),
    /the storage t is used by 1 deliveries/,
  ],
])('%s is a violation', (_, stored, sentence) => {
  expect(violations(stored, [started]).join('\n')).toMatch(sentence);
});

test('a week later, nothing is left of deliveries and deleted storages', () => {
  const list = `plans/${ulid}/deliveries/d/list-0.json`;
  const listed = { pk: 'QUEUE#u', sk: 'DELIVERIES', kind: 'delivering' };
  expect(remains(delivered({}, [listed]))).toEqual([]);
  const left = delivered({}, [
    { ...listed, ownerKey: 'all#delivering' },
    { ...storage, ulid: 't', deletedAt: 'x' },
  ]);
  expect(remains({ ...left, objectKeys: [list] })).toEqual([
    `the file ${list} of a delivery is left over`,
    'the storage t was deleted and has a record',
    'QUEUE#u is listed as a user with deliveries',
  ]);
});

test('files of a lost attempt may stay for some time, but not for a week', () => {
  const late = segment.replace('-a2', '-a1');
  const stored = { ...whole, objectKeys: [...whole.objectKeys, late, `work/${ulid}/1/chunks.json`] };
  expect(violations(stored, [notDelivered])).toEqual([]);
  expect(remains({ ...stored, openMultiparts: ['videos/x'] })).toEqual([
    'the multipart upload of videos/x is open',
    `the work file work/${ulid}/1/chunks.json is there`,
    `the object ${late} is left over`,
  ]);
});
