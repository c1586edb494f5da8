// The signature that the key value store requires, in JavaScript. Importing it registers it.
import '@aws-sdk/signature-v4a';
import { setTimeout } from 'node:timers/promises';
import {
  CloudFrontKeyValueStoreClient,
  ConflictException,
  DeleteKeyCommand,
  DescribeKeyValueStoreCommand,
  type DescribeKeyValueStoreCommandOutput,
  ListKeysCommand,
  PutKeyCommand,
  ResourceNotFoundException,
  UpdateKeysCommand,
  ValidationException,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { nowSeconds } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { signedUrlSeconds } from '../common/limits.ts';

/**
 * What the distribution of the stage knows: signing keys, deleted videos and public videos. Every function here does
 * nothing on a stage without a distribution, and may run twice.
 */
const client = new CloudFrontKeyValueStoreClient({});

/** The store refuses a write that does not name its latest version, which other writers change at the same time. */
const attempts = 8;

/** The store accepts at most 50 keys in one request. */
const changesAtOnce = 50;

export const putSigningKey = (id: string, secret: string): Promise<void> => put(`key/${id}`, secret);

export const removeSigningKey = (id: string): Promise<void> => remove(`key/${id}`);

/**
 * Ends the playback of deleted videos and serves public ones below `/p/`: many in one request, because each costs a
 * tenth of a cent and waits for the one before. The value of a deleted video is the Unix time in seconds from which
 * the mark is not needed any more.
 */
export async function setPlayback(videos: { deleted: readonly string[]; public: readonly string[] }): Promise<void> {
  const until = String(nowSeconds() + signedUrlSeconds.max);
  const entries = [
    ...videos.deleted.map((ulid) => ({ Key: `deleted/${ulid}`, Value: until })),
    ...videos.public.map((ulid) => ({ Key: `public/${ulid}`, Value: '1' })),
  ];
  for (let at = 0; at < entries.length; at += changesAtOnce) {
    const Puts = entries.slice(at, at + changesAtOnce);
    await write((version) => client.send(new UpdateKeysCommand({ ...version, Puts })));
  }
}

export const endPublic = (ulid: string): Promise<void> => remove(`public/${ulid}`);

export type EdgeUse = { items: number; bytes: number };

/** The size of the store; undefined on a stage without a distribution. */
export async function readEdgeUse(): Promise<EdgeUse | undefined> {
  const arn = readEnvironment('EDGE_KEY_VALUE_STORE_ARN');
  if (arn === undefined) return undefined;
  const { ItemCount = 0, TotalSizeInBytes = 0 } = await describe(arn);
  return { items: ItemCount, bytes: TotalSizeInBytes };
}

/** All keys with their values. */
export async function* listEdgeKeys(): AsyncGenerator<{ key: string; value: string }> {
  const KvsARN = readEnvironment('EDGE_KEY_VALUE_STORE_ARN');
  let NextToken: string | undefined;
  if (KvsARN === undefined) return;
  do {
    const page = await client.send(new ListKeysCommand({ KvsARN, ...(NextToken !== undefined && { NextToken }) }));
    for (const { Key, Value } of page.Items ?? []) yield { key: Key!, value: Value! };
    ({ NextToken } = page);
  } while (NextToken !== undefined);
}

const put = (Key: string, Value: string): Promise<void> =>
  write((version) => client.send(new PutKeyCommand({ ...version, Key, Value })));

const remove = (Key: string): Promise<void> =>
  write(async (version) => {
    try {
      return await client.send(new DeleteKeyCommand({ ...version, Key }));
    } catch (error) {
      // An earlier call removed it, and the version is as it was.
      if (error instanceof ResourceNotFoundException) return { ETag: version.IfMatch };
      throw error;
    }
  });

/** Removes keys that exist. */
export async function removeEdgeKeys(keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += changesAtOnce) {
    const Deletes = keys.slice(at, at + changesAtOnce).map((Key) => ({ Key }));
    await write((version) => client.send(new UpdateKeysCommand({ ...version, Deletes })));
  }
}

type Change = (version: { KvsARN: string; IfMatch: string }) => Promise<{ ETag?: string | undefined }>;

/**
 * The version of the store after the last write of this process. Another writer may have changed it since: that write
 * is refused, and the next one asks first. Each request costs a tenth of a cent.
 */
let lastVersion: string | undefined;

/** One write of this process at a time: of two at once, one would fail. */
let lastWrite: Promise<unknown> = Promise.resolve();

function write(change: Change): Promise<void> {
  const written = lastWrite.then(() => writeLatest(change));
  lastWrite = written.catch(() => {});
  return written;
}

async function writeLatest(change: Change): Promise<void> {
  const KvsARN = readEnvironment('EDGE_KEY_VALUE_STORE_ARN');
  if (KvsARN === undefined) return;
  for (let attempt = 1; ; attempt += 1) {
    const IfMatch = lastVersion ?? (await describe(KvsARN)).ETag!;
    lastVersion = undefined;
    try {
      lastVersion = (await change({ KvsARN, IfMatch })).ETag;
      return;
    } catch (error) {
      if (!isOutdated(error) || attempt === attempts) throw error;
      await setTimeout(Math.random() * 50 * 2 ** attempt);
    }
  }
}

/** Another writer changed the store after its version was read. */
const isOutdated = (error: unknown): boolean =>
  error instanceof ConflictException || (error instanceof ValidationException && /pre-?condition/i.test(error.message));

const describe = (KvsARN: string): Promise<DescribeKeyValueStoreCommandOutput> =>
  client.send(new DescribeKeyValueStoreCommand({ KvsARN }));
