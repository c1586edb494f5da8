import { expect, test } from 'vitest';
import { remains, type Stored, violations } from '../../../../lab/faults/checks/invariants.ts';
import type { StartedVideo } from '../../../../lab/faults/injected/fault.ts';
import type { Item } from '../../../journey/support/account.ts';

const ulid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
const lostUlid = '01K9Z3Q8V7N4T2M6X5C0R1B2D4';
const started: StartedVideo = { ulid, template: 'quick', ends: 'completed' };
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
  expect([...violations(whole, [started]), ...remains(whole)]).toEqual([]);
});

test.each<[string, Stored, StartedVideo[], RegExp]>([
  ['a video that failed', replaced(video, { status: 'failed' }), [started], /is failed: without a reason/],
  ['a video that does not end', replaced(video, { status: 'running' }), [started], /is running for ever/],
  ['a video that is gone', whole, [started, { ...started, ulid: lostUlid }], /is gone/],
  [
    'a video that was created twice',
    withItem({ ...video, ulid: lostUlid, ownerUlid: 'v' }),
    [started],
    /without an upload/,
  ],
  ['a wrong count of videos', replaced(userCounts, { videos: 2 }), [started], /counts 2 videos, there are 1/],
  [
    'a wrong count of uploads',
    replaced(userCounts, { openUploads: 1 }),
    [started],
    /counts 1 open uploads, there are 0/,
  ],
  ['a wrong count of uses', replaced(templateCounts, { references: 0 }), [started], /counts 0 references/],
  ['CPU time counted twice', replaced(items[6]!, { value: 3000 }), [started], /3000 are counted as encoding_cpu/],
  ['a job in the queue', replaced(job, { status: 'QUEUED', result: undefined }), [started], /is QUEUED/],
  ['an execution without end', { ...whole, runningExecutions: ['x'] }, [started], /the execution x runs/],
  [
    'a mark of work',
    withItem({ pk: `VIDEO#${ulid}`, sk: 'WORKING', kind: 'working' }),
    [started],
    /has a mark WORKING/,
  ],
  ['an object without a record', { ...whole, objectKeys: [`videos/${lostUlid}/a`] }, [started], /belongs to nothing/],
  [
    'an object of a deleted video',
    replaced(video, { deletedAt: 'x' }),
    [{ ...started, ends: 'deleted' }],
    /belongs to nothing/,
  ],
])('%s is a violation', (_, stored, videos, sentence) => {
  expect(violations(stored, videos).join('\n')).toMatch(sentence);
});

test('files of a lost attempt may stay for some time, but not for a week', () => {
  const late = segment.replace('-a2', '-a1');
  const stored = { ...whole, objectKeys: [...whole.objectKeys, late, `work/${ulid}/1/chunks.json`] };
  expect(violations(stored, [started])).toEqual([]);
  expect(remains({ ...stored, openMultiparts: ['videos/x'] })).toEqual([
    'the multipart upload of videos/x is open',
    `the work file work/${ulid}/1/chunks.json is there`,
    `the object ${late} is left over`,
  ]);
});
