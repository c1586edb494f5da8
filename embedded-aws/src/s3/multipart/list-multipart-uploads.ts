import { countQuery, type Exchange, keyEncoding, type Operation, query, respond } from '../requests/exchange.ts';
import type { Upload } from '../storage/bucket-state.ts';
import { toByteOrder } from '../storage/sorted-keys.ts';

/** The uploads in progress with the prefix, by key, then by the time of their initiation. */
function uploadsIn(exchange: Exchange, prefix: string): Upload[] {
  return [...exchange.store.state.uploads.values()]
    .map(({ upload }) => upload)
    .filter((upload) => upload.bucket === exchange.target.bucket && upload.key.startsWith(prefix))
    .sort(
      (a, b) => compare(toByteOrder(a.key), toByteOrder(b.key)) || a.initiatedMs - b.initiatedMs || compare(a.id, b.id),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The uploads after the markers: those after the marked upload, or those with keys after `keyMarker`. */
function afterMarkers(uploads: Upload[], keyMarker: string, uploadIdMarker: string): Upload[] {
  const marked = uploads.findIndex((upload) => upload.id === uploadIdMarker && upload.key === keyMarker);
  if (marked >= 0) return uploads.slice(marked + 1);
  return uploads.filter((upload) => toByteOrder(upload.key) > toByteOrder(keyMarker));
}

export const listMultipartUploads: Operation = async (exchange) => {
  const most = countQuery(exchange, 'max-uploads');
  const [prefix, delimiter] = [query(exchange, 'prefix') ?? '', query(exchange, 'delimiter') ?? ''];
  const [keyMarker, uploadIdMarker] = [query(exchange, 'key-marker') ?? '', query(exchange, 'upload-id-marker') ?? ''];
  const { encode, type } = keyEncoding(exchange);

  const shown: Upload[] = [];
  const commonPrefixes = new Set<string>();
  let last: Upload | undefined;
  let truncated = false;
  for (const upload of afterMarkers(uploadsIn(exchange, prefix), keyMarker, uploadIdMarker)) {
    const end = delimiter === '' ? -1 : upload.key.indexOf(delimiter, prefix.length);
    const common = end < 0 ? undefined : upload.key.slice(0, end + delimiter.length);
    if (common === undefined || !(commonPrefixes.has(common) || keyMarker.startsWith(common))) {
      truncated = shown.length + commonPrefixes.size >= most;
      if (truncated) break;
      if (common === undefined) shown.push(upload);
      else commonPrefixes.add(common);
    }
    last = upload;
  }
  respond(exchange, 200, {
    root: 'ListMultipartUploadsResult',
    content: {
      Bucket: exchange.target.bucket,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: uploadIdMarker,
      NextKeyMarker: truncated && last ? encode(last.key) : undefined,
      NextUploadIdMarker: truncated ? last?.id : undefined,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      MaxUploads: most,
      EncodingType: type,
      IsTruncated: truncated && most > 0,
      Upload: shown.map((upload) => ({
        UploadId: upload.id,
        Key: encode(upload.key),
        Initiated: new Date(upload.initiatedMs).toISOString(),
        StorageClass: upload.headers['x-amz-storage-class'] ?? 'STANDARD',
        ChecksumAlgorithm: upload.checksum?.algorithm.toUpperCase(),
        ChecksumType: upload.checksum?.type,
      })),
      CommonPrefixes: [...commonPrefixes].map((common) => ({ Prefix: encode(common) })),
    },
  });
};
