import { expect, test } from 'vitest';
import { cloneRecords, metItems } from './clones.ts';

const [video, owner] = ['01K9Z3P6M8N9P0Q1R2S3T4V5W6', '01K9Z3P6M8N9P0Q1R2S3T4V5W7'];
const items = [
  { pk: { S: `VIDEO#${video}` }, sk: { S: 'VIDEO' }, id: { N: '7' }, ownerKey: { S: `${owner}#video` } },
  { pk: { S: `LISTED#${owner}` }, sk: { S: `WORD#holiday#${video}` } },
];

test('items that only their key finds are left out', () => {
  const byKeyOnly = [
    { pk: { S: `VIDEO#${video}` }, sk: { S: 'STREAMS' } },
    { pk: { S: 'ID#video#7' }, sk: { S: 'ID' }, ulid: { S: video } },
  ];
  expect(metItems([...items, ...byKeyOnly])).toEqual(items);
});

test('each copy of a record has its own ULIDs and id, the same in all its items', () => {
  const [one, oneListed, other] = [...cloneRecords([{ items }], 2, () => [owner])];
  const ulid = String(one!.pk!.S).slice('VIDEO#'.length);
  expect(ulid).not.toBe(video);
  expect(oneListed).toEqual({ pk: { S: `LISTED#${owner}` }, sk: { S: `WORD#holiday#${ulid}` } });
  expect(one!.ownerKey).toEqual({ S: `${owner}#video` });
  expect(other!.pk).not.toEqual(one!.pk);
  expect(other!.id).not.toEqual(one!.id);
});
