import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Item, Table } from '../dynalite/dynalite.ts';
import { itemSize } from './item-size.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html

export type StreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

/** The stream of a table. */
export type StreamSettings = { arn: string; viewType: StreamViewType };

/** What is stored of a record. Everything else follows from its place. */
export type StoredRecord = {
  atMs: number;
  name: 'INSERT' | 'MODIFY' | 'REMOVE';
  keys: Item;
  newImage?: Item;
  oldImage?: Item;
  /** The item was deleted because it had expired. */
  expired?: true;
};

/** A record as the functions of an event source mapping receive it, without `eventSourceARN`. */
export type StreamRecord = {
  eventID: string;
  eventName: StoredRecord['name'];
  eventVersion: '1.1';
  eventSource: 'aws:dynamodb';
  awsRegion: string;
  dynamodb: {
    /** Epoch seconds. */
    ApproximateCreationDateTime: number;
    Keys: Item;
    NewImage?: Item;
    OldImage?: Item;
    SequenceNumber: string;
    SizeBytes: number;
    StreamViewType: StreamViewType;
  };
  userIdentity?: { type: 'Service'; principalId: 'dynamodb.amazonaws.com' };
};

/** `expired`: the item is deleted because it has expired. */
export type ItemChange = { before: Item | undefined; after: Item | undefined; expired?: true | undefined };

/** The record of a change. Undefined for `before` or `after` means that the item does not exist. */
export function storedRecord(
  { KeySchema }: Table,
  viewType: StreamViewType,
  { before, after, atMs, expired }: ItemChange & { atMs: number },
): StoredRecord {
  const item = (after ?? before)!;
  const hasNew = viewType === 'NEW_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES';
  const hasOld = viewType === 'OLD_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES';
  return {
    atMs,
    name: !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE',
    keys: Object.fromEntries(KeySchema.map(({ AttributeName }) => [AttributeName, item[AttributeName]!])),
    ...(hasNew && after && { newImage: after }),
    ...(hasOld && before && { oldImage: before }),
    ...(expired && { expired }),
  };
}

type RecordPosition = { region: string; shardId: string; sequence: string; viewType: StreamViewType };

export function streamRecord(
  stored: StoredRecord,
  { region, shardId, sequence, viewType }: RecordPosition,
): StreamRecord {
  const { atMs, name, keys, newImage, oldImage, expired } = stored;
  const sizes = [keys, newImage, oldImage].map((item) => (item ? itemSize(item) : 0));
  return {
    // The same at each delivery.
    eventID: hash('sha256', `${shardId} ${sequence}`).slice(0, 32),
    eventName: name,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: region,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(atMs / 1000),
      Keys: keys,
      ...(newImage && { NewImage: newImage }),
      ...(oldImage && { OldImage: oldImage }),
      SequenceNumber: sequence,
      SizeBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
      StreamViewType: viewType,
    },
    ...(expired && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const }),
  };
}

/** A number that all items with the same partition key share. */
export function partitionHash({ KeySchema }: Table, keys: Item): number {
  const hash = KeySchema.find(({ KeyType }) => KeyType === 'HASH')!.AttributeName;
  return crc32(JSON.stringify(keys[hash]));
}
