import { expect, test } from 'vitest';
import { type Copies, copyText, metItems, patternOf } from '../../../../lab/scale/table/clones.ts';

const [video, owner] = ['01K9Z3P6M8N9P0Q1R2S3T4V5W6', '01K9Z3P6M8N9P0Q1R2S3T4V5W7'];
const items = [
  { pk: { S: `VIDEO#${video}` }, sk: { S: 'VIDEO' }, id: { N: '7' }, ownerKey: { S: `${owner}#video` } },
  { pk: { S: `LISTED#${owner}` }, sk: { S: `WORD#holiday#${video}` } },
];

test('items that only their key finds are left out', () => {
  const byKeyOnly = [
    { pk: { S: `VIDEO#${video}` }, sk: { S: 'STREAMS' } },
    { pk: { S: 'ID#video#7' }, sk: { S: 'ID' }, ulid: { S: video } },
    { pk: { S: 'TOKEN#7' }, sk: { S: 'TOKEN' }, ownerKey: { S: `${owner}#token` } },
  ];
  expect(metItems([...items, ...byKeyOnly])).toEqual(items);
});

test('the words of a video are kept: a search reads them for each video that it looks at', () => {
  const words = { pk: { S: `SPOKEN#${video}` }, sk: { S: 'WORDS' }, kind: { S: 'transcript-words' } };
  expect(metItems([words])).toEqual([words]);
});

test('each copy of a record has its own ULIDs and id, the same in all its texts', () => {
  const ulids: string[] = [];
  const patterns = items.map((item) => patternOf(JSON.stringify(item), ulids));
  const copies: Copies = { kind: '3', count: 2, kept: () => [owner] };
  const copy = (number: number, of = copies) => patterns.map((pattern) => JSON.parse(copyText(pattern, of, number)));
  const [one, oneListed] = copy(0);
  const ulid = String(one.pk.S).slice('VIDEO#'.length);
  expect(ulid).not.toBe(video);
  expect(ulid).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  expect(oneListed).toEqual({ pk: { S: `LISTED#${owner}` }, sk: { S: `WORD#holiday#${ulid}` } });
  expect(one.ownerKey).toEqual({ S: `${owner}#video` });
  const [other] = copy(1);
  expect(other.pk.S > one.pk.S).toBe(true);
  expect(other.id).not.toEqual(one.id);
  const ofOtherKind = copy(0, { ...copies, kind: '4' });
  expect(ofOtherKind[0].pk).not.toEqual(one.pk);
});

test('an id in a sort key is that of the copy', () => {
  const pattern = patternOf('0000000000000007', []);
  expect(copyText(pattern, { kind: '0', count: 1, kept: () => [] }, 5)).toBe('0000000010000005');
});
