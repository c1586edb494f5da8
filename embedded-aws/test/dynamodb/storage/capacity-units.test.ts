import { expect, test } from 'vitest';
import { changeUses } from '../../../src/dynamodb/storage/capacity-units.ts';

const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];
const table = {
  TableName: 'nodes',
  TableStatus: 'ACTIVE',
  KeySchema: keys('pk', 'sk'),
  AttributeDefinitions: ['pk', 'sk', 'ownerKey', 'ownerSort'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S',
  })),
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: keys('ownerKey', 'ownerSort'),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
};
const item = { pk: { S: 'NODE#1' }, sk: { S: 'NODE' }, ownerKey: { S: 'all#node' }, ownerSort: { S: '1' } };
/** An attribute value as a parser may make it, without a prototype. */
const bare = (text: string) => Object.assign(Object.create(null), { S: text });

test('an index takes nothing when its entry has the same content, and two writes when its key changes', () => {
  const uses = (after: object) =>
    changeUses(table, item, { ...item, ...after }).map(({ index, units }) => [index, units]);
  expect(uses({ seenAt: { S: 'now' }, ownerKey: bare('all#node') })).toEqual([[undefined, 1]]);
  expect(uses({ ownerSort: { S: '2' } })).toEqual([
    [undefined, 1],
    ['byOwner', 1],
    ['byOwner', 1],
  ]);
});
