import { S3Error } from '../protocol/s3-errors.ts';
import { countQuery, keyEncoding, type Operation, query, respond } from '../requests/exchange.ts';
import { bucketOf, type StoredObject } from '../storage/bucket-state.ts';
import { afterPrefix, fromByteOrder, toByteOrder } from '../storage/sorted-keys.ts';

type Page = {
  objects: StoredObject[];
  commonPrefixes: string[];
  /** Where the next page starts, in byte order. Undefined on the last page. */
  next: string | undefined;
};

/** Lists keys from `first` on. All arguments are in byte order. Keys below a common prefix are skipped together. */
function listPage(
  { objects, keys }: ReturnType<typeof bucketOf>,
  { prefix, delimiter, first, most }: { prefix: string; delimiter: string; first: string; most: number },
): Page {
  const page: Page = { objects: [], commonPrefixes: [], next: undefined };
  let key = keys.atOrAfter(first > prefix ? first : prefix);
  while (key?.startsWith(prefix)) {
    if (page.objects.length + page.commonPrefixes.length === most) return page;
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (end < 0) {
      page.objects.push(objects.get(key)!);
      page.next = `${key}\0`; // the smallest key that is greater
    } else {
      const common = key.slice(0, end + delimiter.length);
      page.commonPrefixes.push(common);
      page.next = afterPrefix(common);
    }
    key = keys.atOrAfter(page.next);
  }
  page.next = undefined;
  return page;
}

const tokenVersion = '1';

function parseToken(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  const decoded = Buffer.from(token, 'base64url');
  if (decoded.toString('base64url') !== token || decoded.toString('latin1', 0, 1) !== tokenVersion) {
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
  }
  return decoded.toString('latin1', 1);
}

function writeToken(next: string): string {
  return Buffer.from(tokenVersion + next, 'latin1').toString('base64url');
}

export const listObjectsV2: Operation = async (exchange) => {
  const most = countQuery(exchange, 'max-keys');
  const [prefix, delimiter] = [query(exchange, 'prefix') ?? '', query(exchange, 'delimiter') ?? ''];
  const [token, startAfter] = [query(exchange, 'continuation-token'), query(exchange, 'start-after')];
  const { encode, type } = keyEncoding(exchange);
  const page = listPage(bucketOf(exchange.store.state, exchange.target.bucket), {
    prefix: toByteOrder(prefix),
    delimiter: toByteOrder(delimiter),
    first: parseToken(token) ?? (startAfter === undefined ? '' : `${toByteOrder(startAfter)}\0`),
    most,
  });
  const truncated = page.next !== undefined && most > 0;
  respond(exchange, 200, {
    root: 'ListBucketResult',
    content: {
      Name: exchange.target.bucket,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      MaxKeys: most,
      EncodingType: type,
      KeyCount: page.objects.length + page.commonPrefixes.length,
      IsTruncated: truncated,
      ContinuationToken: token,
      NextContinuationToken: truncated ? writeToken(page.next!) : undefined,
      StartAfter: startAfter === undefined ? undefined : encode(startAfter),
      Contents: page.objects.map((object) => ({
        Key: encode(object.key),
        LastModified: new Date(object.modifiedMs).toISOString(),
        ETag: `"${object.etag}"`,
        ChecksumAlgorithm: object.checksum?.algorithm.toUpperCase(),
        ChecksumType: object.checksum?.type,
        Size: object.sizeBytes,
        StorageClass: object.headers['x-amz-storage-class'] ?? 'STANDARD',
      })),
      CommonPrefixes: page.commonPrefixes.map((common) => ({ Prefix: encode(fromByteOrder(common)) })),
    },
  });
};
