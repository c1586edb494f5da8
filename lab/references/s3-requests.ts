import { createHash } from 'node:crypto';
import * as fc from 'fast-check';

/** Members of the SDK's input. `Upload` is the number of an upload of the sequence, since each target has other ids. */
export type Input = Record<string, unknown>;
export type Request = { operation: Operation; input: Input };
export type Operation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CopyObject'
  | 'CreateMultipartUpload'
  | 'DeleteObject'
  | 'DeleteObjects'
  | 'DeleteObjectTagging'
  | 'GetObject'
  | 'GetObjectTagging'
  | 'HeadObject'
  | 'ListMultipartUploads'
  | 'ListObjectsV2'
  | 'ListParts'
  | 'PutObject'
  | 'PutObjectTagging'
  | 'UploadPart'
  | 'UploadPartCopy';

/** None is a folder of another one: versitygw keeps objects as files. */
export const keys = ['a/1', 'a/2', 'a/b/c', 'b c+ü&', 'd'];
const partBytes = 5 << 20;
/** Texts stand for contents, so that a sequence is short when it is printed. */
export const contents: Record<string, Buffer> = {
  empty: Buffer.from(''),
  x: Buffer.from('x'),
  digits: Buffer.from('0123456789'),
  part: Buffer.alloc(partBytes, 'part'),
};

const Key = fc.constantFrom(...keys);
/** In one of six requests: with most conditions and parameters at once, most requests would be refused. */
const sometimes = <T>(of: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: of });
/** Without the large one: versitygw does not read a body that it refuses, and the client waits for its response. */
const content = fc.constantFrom('empty', 'x', 'digits');
const etag = fc.oneof(
  fc.constantFrom('x', 'digits').map((name) => `"${createHash('md5').update(contents[name]!).digest('hex')}"`),
  fc.constantFrom('*', '"00000000000000000000000000000000"'),
);
const past = new Date('2020-01-01T00:00:00Z');
const future = new Date('2020-01-01T00:00:00Z');
future.setUTCFullYear(2030);
const headers = {
  ContentType: sometimes(fc.constantFrom('video/mp4', 'text/plain; charset=utf-8')),
  CacheControl: sometimes(fc.constant('max-age=60')),
  ContentDisposition: sometimes(fc.constant('attachment; filename="a b.mp4"')),
  Metadata: sometimes(fc.constantFrom({ ulid: '01' }, { 'with-dash': 'a b', other: '1' })),
};
const Tagging = sometimes(fc.constantFrom('a=1', 'a=1&b=%26%20x', 'a=1&a=2', ''));
const ifMatch = { IfMatch: sometimes(etag), IfNoneMatch: sometimes(etag) };
const writeConditions = {
  IfMatch: sometimes(etag.filter((one) => one !== '*')),
  IfNoneMatch: sometimes(fc.constant('*')),
};
const ranges = ['bytes=0-0', 'bytes=2-5', 'bytes=7-', 'bytes=-3', 'bytes=8-99', 'bytes=5-2', 'bytes=99-', 'bytes=-0'];
const Range = sometimes(fc.constantFrom(...ranges, 'bytes=0-1,3-4', 'lines=1-2'));
const copied = {
  CopySource: Key,
  CopySourceIfMatch: sometimes(etag),
  CopySourceIfNoneMatch: sometimes(etag),
};
const upload = fc.nat({ max: 1 });
const PartNumber = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(1, 2, 7) },
  { weight: 1, arbitrary: fc.constantFrom(0, 10_001) },
);
const read = {
  Key,
  Range,
  ...ifMatch,
  IfModifiedSince: sometimes(fc.constantFrom(past, future)),
  IfUnmodifiedSince: sometimes(fc.constantFrom(past, future)),
  PartNumber: sometimes(fc.constantFrom(1, 2)),
};
const parts = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom([1], [1, 2], [2], [1, 2, 7]) },
  { weight: 1, arbitrary: fc.constantFrom([2, 1], [1, 1], []) },
);
const Prefix = sometimes(fc.constantFrom('', 'a', 'a/', 'a/b', 'z'));
const Delimiter = sometimes(fc.constantFrom('/', 'b'));
const tags = [{ Key: 'a', Value: '1' }];
const tagSets = [tags, [], [...tags, ...tags], [{ Key: '', Value: '1' }], [{ Key: 'k'.repeat(129), Value: '' }]];

const inputs: Record<Operation, { weight: number; of: Record<string, fc.Arbitrary<unknown>> }> = {
  PutObject: { weight: 8, of: { Key, Body: content, Tagging, ...headers, ...writeConditions } },
  GetObject: { weight: 5, of: read },
  HeadObject: { weight: 2, of: read },
  DeleteObject: { weight: 1, of: { Key } },
  DeleteObjects: {
    weight: 1,
    of: {
      Delete: fc.array(Key, { minLength: 1, maxLength: 3 }).map((all) => ({ Objects: all.map((Key) => ({ Key })) })),
    },
  },
  CopyObject: {
    weight: 3,
    of: {
      Key,
      ...copied,
      MetadataDirective: sometimes(fc.constantFrom('COPY', 'REPLACE')),
      TaggingDirective: sometimes(fc.constantFrom('COPY', 'REPLACE')),
      Tagging,
      ...headers,
    },
  },
  ListObjectsV2: {
    weight: 3,
    of: {
      Prefix,
      Delimiter,
      MaxKeys: sometimes(fc.constantFrom(0, 1, 2, 1000, 5000, -1)),
      StartAfter: sometimes(fc.constantFrom('a/', 'a/1', 'c')),
      EncodingType: sometimes(fc.constant('url')),
    },
  },
  CreateMultipartUpload: { weight: 5, of: { Key, Tagging, ...headers } },
  UploadPart: { weight: 8, of: { Upload: upload, PartNumber, Body: content } },
  UploadPartCopy: {
    weight: 4,
    of: {
      Upload: upload,
      PartNumber,
      ...copied,
      CopySourceRange: sometimes(fc.constantFrom(...ranges, 'bytes=0-9', 'bytes=3-9', '0-1')),
    },
  },
  CompleteMultipartUpload: { weight: 5, of: { Upload: upload, Parts: parts, ...writeConditions } },
  AbortMultipartUpload: { weight: 1, of: { Upload: upload } },
  ListParts: {
    weight: 2,
    of: { Upload: upload, MaxParts: sometimes(fc.constantFrom(1, 2)), PartNumberMarker: sometimes(fc.constant('1')) },
  },
  ListMultipartUploads: { weight: 1, of: { Prefix, Delimiter } },
  GetObjectTagging: { weight: 1, of: { Key } },
  PutObjectTagging: { weight: 1, of: { Key, Tagging: fc.constantFrom(...tagSets).map((TagSet) => ({ TagSet })) } },
  DeleteObjectTagging: { weight: 1, of: { Key } },
};

const request: fc.Arbitrary<Request> = fc.oneof(
  ...Object.entries(inputs).map(([operation, { weight, of }]) => ({
    weight,
    arbitrary: fc.record(of).map((members) => ({
      operation: operation as Operation,
      input: Object.fromEntries(Object.entries(members).filter(([, one]) => one !== undefined)),
    })),
  })),
);

const given = (operation: Operation, input: Input): Request => ({ operation, input });
const started = given('CreateMultipartUpload', { Key: 'd', ContentType: 'video/mp4' });
const part = (PartNumber: number, Body: string) => given('UploadPart', { Upload: 0, PartNumber, Body });
/** What random requests rarely prepare by themselves. */
const prepared: Request[][] = [
  [given('PutObject', { Key: 'a/1', Body: 'digits', Tagging: 'a=1' })],
  [given('PutObject', { Key: 'a/1', Body: 'x' }), given('PutObject', { Key: 'a/b/c', Body: 'digits' })],
  [started, part(1, 'x')],
  [started, part(1, 'part'), part(2, 'digits')],
  [started, part(1, 'digits'), part(2, 'digits')],
];

export const sequence: fc.Arbitrary<Request[]> = fc
  .tuple(fc.constantFrom([], ...prepared), fc.array(request, { minLength: 1, maxLength: 6 }))
  .map(([first, then]) => [...first, ...then]);
