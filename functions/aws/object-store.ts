import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { env } from '../../shared/environment.ts';
import { createPresigner, publicStoreClient, type UrlAudience } from './presign.ts';

const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
// Marked as pure, so that functions which sign nothing do not bundle it.
const presigners = /* @__PURE__ */ createPresigners();

const bucket = (): string => env('BUCKET_NAME');

function createPresigners() {
  return { internal: createPresigner(client), public: createPresigner(publicStoreClient(client)) };
}

export const presignedGet = (key: string, reach: UrlAudience = 'internal'): Promise<string> =>
  presigners[reach].signedUrl('GET', key);
export const presignedPut = (key: string, reach: UrlAudience = 'internal'): Promise<string> =>
  presigners[reach].signedUrl('PUT', key);

/** URLs for named keys, by their names. */
export async function signedUrls(
  keys: Iterable<readonly [string, string]>,
  sign: (key: string, reach: UrlAudience) => Promise<string>,
  reach: UrlAudience,
): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Promise.all([...keys].map(async ([name, key]) => [name, await sign(key, reach)] as const)),
  );
}

/** Size in bytes and ETag, or undefined when there is no such object. */
export async function objectHead(key: string): Promise<{ bytes: number; etag: string } | undefined> {
  try {
    const { ContentLength = 0, ETag = '' } = await client.send(new HeadObjectCommand({ Bucket: bucket(), Key: key }));
    return { bytes: ContentLength, etag: ETag };
  } catch (error) {
    if (error instanceof Error && (error.name === 'NotFound' || error.name === 'NoSuchKey')) return undefined;
    throw error;
  }
}

/** Size in bytes, or undefined when there is no such object. */
export const objectBytes = async (key: string): Promise<number | undefined> => (await objectHead(key))?.bytes;

/** Copies an object of at most 5 GiB inside the store. False when it is not that of the ETag any more, or gone. */
export async function copyObject(from: string, to: string, etag: string): Promise<boolean> {
  try {
    await client.send(
      new CopyObjectCommand({
        Bucket: bucket(),
        Key: to,
        CopySource: `${bucket()}/${from}`,
        CopySourceIfMatch: etag,
        // Tags are not copied, which would need a right to read them.
        TaggingDirective: 'REPLACE',
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof Error && ['PreconditionFailed', 'NoSuchKey'].includes(error.name)) return false;
    throw error;
  }
}

export async function readObject(key: string): Promise<Uint8Array> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket(), Key: key }));
  if (!Body) throw new Error(`the store gave no body for ${key}`);
  return Body.transformToByteArray();
}

export async function writeObject(key: string, body: string, contentType: string): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket(), Key: key, Body: body, ContentType: contentType }));
}

/** Marks an object that no record leads to, for the operator to find. */
export async function tagOrphan(key: string): Promise<void> {
  await client.send(
    new PutObjectTaggingCommand({
      Bucket: bucket(),
      Key: key,
      Tagging: { TagSet: [{ Key: 'orphan', Value: 'true' }] },
    }),
  );
}

/** Deletes objects below a prefix, but for those that `keep` wants. Returns how many went. */
export async function deleteObjects(prefix: string, keep: (key: string) => boolean = () => false): Promise<number> {
  let deleted = 0;
  const removals: Promise<void>[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket(), Prefix: prefix, ...(token && { ContinuationToken: token }) }),
    );
    const doomed = (page.Contents ?? []).flatMap(({ Key }) => (Key !== undefined && !keep(Key) ? [{ Key }] : []));
    if (doomed.length > 0) {
      const removal = removeAll(doomed);
      // It is waited for below.
      removal.catch(() => {});
      removals.push(removal);
    }
    if (removals.length >= pagesAtOnce) await Promise.all(removals.splice(0));
    deleted += doomed.length;
    token = page.NextContinuationToken;
  } while (token);
  await Promise.all(removals);
  return deleted;
}

/** A page has up to a thousand objects, whose removal takes the store about a second. */
const pagesAtOnce = 4;

async function removeAll(Objects: { Key: string }[]): Promise<void> {
  const { Errors } = await client.send(
    new DeleteObjectsCommand({ Bucket: bucket(), Delete: { Objects, Quiet: true } }),
  );
  if (Errors?.length) throw new Error(`the store kept ${Errors[0]?.Key}: ${Errors[0]?.Code}`);
}

/** Folders right below a prefix that come after the folder `after`, at most `most`; `last` is where to go on, undefined at the end. */
export async function listFolders(prefix: string, after: string, most: number) {
  const page = await client.send(
    new ListObjectsV2Command({
      ...{ Bucket: bucket(), Prefix: prefix, Delimiter: '/', MaxKeys: most },
      // Behind all that is in the folder, whatever it is called.
      ...(after !== '' && { StartAfter: `${after}\uffff` }),
    }),
  );
  const folders = (page.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? []);
  return { folders, last: page.IsTruncated ? folders.at(-1) : undefined };
}

/** Keys below a prefix that come after the key `after`, at most `most`; `last` is where to go on, undefined at the end. */
export async function listKeys(prefix: string, after: string, most: number) {
  const page = await client.send(
    new ListObjectsV2Command({
      ...{ Bucket: bucket(), Prefix: prefix, MaxKeys: most },
      ...(after !== '' && { StartAfter: after }),
    }),
  );
  const keys = (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
  return { keys, last: page.IsTruncated ? keys.at(-1) : undefined };
}

/** Gives up multipart uploads below a prefix that began before a moment. Returns how many. */
export async function abortStaleMultiparts(prefix: string, beforeMilliseconds: number): Promise<number> {
  let aborted = 0;
  for (let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}; marker; ) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket(), Prefix: prefix, ...marker }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (!Key || !UploadId || !Initiated || Initiated.getTime() >= beforeMilliseconds) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket(), Key, UploadId }));
      aborted++;
    }
    const { NextKeyMarker, NextUploadIdMarker } = page;
    marker =
      page.IsTruncated && NextKeyMarker && NextUploadIdMarker
        ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker }
        : undefined;
  }
  return aborted;
}
