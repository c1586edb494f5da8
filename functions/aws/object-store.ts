import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { cacheControl } from '../../delivery/urls/delivered-headers.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { videosPrefix } from '../../shared/object-keys.ts';
import { createPresigners, type UrlAudience } from './presign.ts';

const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
// Marked as pure, so that functions which sign no URLs do not bundle the presigner.
const presigners = /* @__PURE__ */ createPresigners(client);

const bucket = (): string => readEnvironment('BUCKET_NAME');

export const presignedGet = (key: string, audience: UrlAudience = 'internal'): Promise<string> =>
  presigners[audience].signedUrl('GET', key);
/** `bytes`: the length that the body must have. */
export const presignedPut = (key: string, audience: UrlAudience = 'internal', bytes?: number): Promise<string> =>
  presigners[audience].signedUrl('PUT', key, {}, { bodyBytes: bytes });

/** A URL for clients, with which a browser saves the object. `disposition` is the Content-Disposition header. */
export const presignedDownload = (key: string, disposition: string, expiresSeconds: number): Promise<string> =>
  presigners.public.signedUrl(
    'GET',
    key,
    // Not the type of the upload, which is any that the uploader has named.
    { 'response-content-disposition': disposition, 'response-content-type': 'application/octet-stream' },
    { expiresSeconds },
  );

/** Signed URLs of keys, by the keys' names. */
export async function signedUrls(
  keys: Iterable<readonly [string, string]>,
  sign: (key: string, audience: UrlAudience) => Promise<string>,
  audience: UrlAudience,
): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Promise.all([...keys].map(async ([name, key]) => [name, await sign(key, audience)] as const)),
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

/** A key that the service has not made can have any characters. */
export const copySource = (key: string): string => [bucket(), ...key.split('/')].map(encodeURIComponent).join('/');

/** Copies an object of at most 5 GiB inside the bucket. False when its ETag has changed, or it no longer exists. */
export async function copyObject(from: string, to: string, etag: string): Promise<boolean> {
  try {
    await client.send(
      new CopyObjectCommand({
        Bucket: bucket(),
        Key: to,
        CopySource: copySource(from),
        CopySourceIfMatch: etag,
        // To copy the tags would need the permission to read them.
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
  if (!Body) throw new Error(`the store returned no body for ${key}`);
  return Body.transformToByteArray();
}

/** An object, or undefined when there is none. */
export async function findObject(key: string): Promise<Uint8Array | undefined> {
  try {
    return await readObject(key);
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
    throw error;
  }
}

/** A text and its ETag, or undefined when there is no such object. */
export async function readText(key: string): Promise<{ body: string; etag: string } | undefined> {
  try {
    const { Body, ETag = '' } = await client.send(new GetObjectCommand({ Bucket: bucket(), Key: key }));
    return Body && { body: await Body.transformToString(), etag: ETag };
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
    throw error;
  }
}

/** Replaces an object of this ETag, or creates it when the ETag is undefined. False when its ETag is another one. */
export async function replaceText(
  key: string,
  etag: string | undefined,
  text: { body: string; contentType: string; cacheControl: string },
): Promise<boolean> {
  try {
    await client.send(
      new PutObjectCommand({
        Bucket: bucket(),
        Key: key,
        Body: text.body,
        ContentType: text.contentType,
        CacheControl: text.cacheControl,
        ...(etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag }),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof Error && changedMeanwhile.includes(error.name)) return false;
    throw error;
  }
}

/** The second one is S3's answer to simultaneous conditional writes, the third to the write of a deleted object. */
const changedMeanwhile = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];

/** Files of videos get the header that controls the caches of the edge and of browsers. */
export async function writeObject(key: string, body: string, contentType: string): Promise<void> {
  await client.send(
    new PutObjectCommand({
      Bucket: bucket(),
      Key: key,
      Body: body,
      ContentType: contentType,
      ...(key.startsWith(videosPrefix) && { CacheControl: cacheControl(key) }),
    }),
  );
}

/** Stores an object unless one of that name exists. */
export async function createObject(key: string, body: string | Uint8Array, contentType: string): Promise<void> {
  try {
    await client.send(
      new PutObjectCommand({ Bucket: bucket(), Key: key, Body: body, ContentType: contentType, IfNoneMatch: '*' }),
    );
  } catch (error) {
    if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode !== 412) throw error;
  }
}

const orphanTag = { Key: 'orphan', Value: 'true' };

/** Tags an object that no record refers to, so that an operator can find it. */
export async function tagOrphan(key: string): Promise<void> {
  await client.send(new PutObjectTaggingCommand({ Bucket: bucket(), Key: key, Tagging: { TagSet: [orphanTag] } }));
}

/** Whether an earlier call has tagged an object. */
export async function isTaggedOrphan(key: string): Promise<boolean> {
  const { TagSet = [] } = await client.send(new GetObjectTaggingCommand({ Bucket: bucket(), Key: key }));
  return TagSet.some(({ Key, Value }) => Key === orphanTag.Key && Value === orphanTag.Value);
}

/** Deletes the objects below a prefix, except those for which `keep` is true. Returns the number of deleted objects. */
export async function deleteObjects(prefix: string, keep: (key: string) => boolean = () => false): Promise<number> {
  let deleted = 0;
  const removals: Promise<void>[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket(), Prefix: prefix, ...(token && { ContinuationToken: token }) }),
    );
    const unwanted = (page.Contents ?? []).flatMap(({ Key }) => (Key !== undefined && !keep(Key) ? [{ Key }] : []));
    if (unwanted.length > 0) {
      const removal = deletePage(unwanted);
      // Awaited below; without this an early failure would be an unhandled rejection.
      removal.catch(() => {});
      removals.push(removal);
    }
    if (removals.length >= concurrentPages) await Promise.all(removals.splice(0));
    deleted += unwanted.length;
    token = page.NextContinuationToken;
  } while (token);
  await Promise.all(removals);
  return deleted;
}

/** Deletes one object. Nothing happens when there is none. */
export const deleteObject = (key: string): Promise<void> => deletePage([{ Key: key }]);

/** A page has up to 1000 objects, and its deletion takes about a second. */
const concurrentPages = 4;

async function deletePage(Objects: { Key: string }[]): Promise<void> {
  const { Errors } = await client.send(
    new DeleteObjectsCommand({ Bucket: bucket(), Delete: { Objects, Quiet: true } }),
  );
  if (Errors?.length) throw new Error(`the store did not delete ${Errors[0]?.Key}: ${Errors[0]?.Code}`);
}

/**
 * At most `limit` folders directly below a prefix, after the folder `after`. `last` is the next call's `after`,
 * undefined at the end.
 */
export async function listFolders(prefix: string, after: string, limit: number) {
  const page = await client.send(
    new ListObjectsV2Command({
      Bucket: bucket(),
      Prefix: prefix,
      Delimiter: '/',
      MaxKeys: limit,
      // Sorts after all keys of the folder: `0` is the character after `/`.
      ...(after !== '' && { StartAfter: after.replace(/\/$/, '0') }),
    }),
  );
  const folders = (page.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? []);
  return { folders, last: page.IsTruncated ? folders.at(-1) : undefined };
}

/**
 * At most `limit` keys below a prefix, after the key `after`. `last` is the next call's `after`, undefined at the end.
 */
export async function listKeys(prefix: string, after: string, limit: number) {
  const page = await client.send(
    new ListObjectsV2Command({
      Bucket: bucket(),
      Prefix: prefix,
      MaxKeys: limit,
      ...(after !== '' && { StartAfter: after }),
    }),
  );
  const keys = (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
  return { keys, last: page.IsTruncated ? keys.at(-1) : undefined };
}

/** All objects below a prefix with their sizes, in order of their keys. */
export async function listObjects(prefix: string): Promise<{ key: string; bytes: number }[]> {
  const found: { key: string; bytes: number }[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket(), Prefix: prefix, ...(token && { ContinuationToken: token }) }),
    );
    found.push(...(page.Contents ?? []).map(({ Key = '', Size = 0 }) => ({ key: Key, bytes: Size })));
    token = page.NextContinuationToken;
  } while (token);
  return found;
}

/** Aborts multipart uploads below a prefix that were started before a point in time. Returns their number. */
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
