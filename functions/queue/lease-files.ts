import { contentTypeOf } from '../../shared/media/content-types.ts';
import type { FileRequest, FileResponse } from '../../shared/protocol/jobs.ts';
import { abortMultipart } from '../aws/abort-multipart.ts';
import { presignedGet, presignedPut, signedUrls } from '../aws/object-store.ts';
import type { UrlAudience } from '../aws/presign.ts';
import { completeMultipart, createMultipart, PartsRefused, signPart } from '../aws/upload-store.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { type Caller, reachOf } from './caller.ts';
import { leaseInputs, leaseOutputs, maxUrls } from './compose-lease.ts';
import { handleDeliverRequest } from './deliver-lease.ts';
import { findGrantedLease, isOpen } from './granted-lease.ts';
import { handleIngestRequest } from './ingest-lease.ts';

type RequestFor<Ask extends FileRequest['ask']> = Extract<FileRequest, { ask: Ask }>;
type Multipart = { key: string; s3UploadId: string };

/**
 * Signs URLs for more files than a lease has URLs for, and for the parts of large files. Only files that the job's plan
 * names are signed, in the folder of the lease's attempt.
 * @throws Conflict when the lease is over, ValidationFailed when the lease has no such file
 */
export async function handleFileRequest(request: FileRequest, { node }: Pick<Caller, 'node'>): Promise<FileResponse> {
  const granted = await findGrantedLease(request.lease);
  if (!granted || !isOpen(granted.job)) throw new Conflict('lease_over', 'The lease is over.');
  const reach = reachOf(node);
  if ('ingestOfJob' in granted) return handleIngestRequest(request, granted, reach);
  if ('delivery' in granted) return handleDeliverRequest(request, granted, reach);
  const attempt = { ...granted.job, attempt: granted.attempt };
  switch (request.ask) {
    case 'inputs':
      return {
        urls: await signedUrls(
          following(await leaseInputs(attempt, granted.videoOfJob.video), request),
          presignedGet,
          reach,
        ),
      };
    case 'outputs':
      return { urls: await signedUrls(following(await leaseOutputs(attempt), request), presignedPut, reach) };
    case 'source':
    case 'source-url':
      throw new ValidationFailed({ ask: ['The lease is not that of an ingest.'] });
    case 'copies':
    case 'copied':
    case 'compare':
      throw new ValidationFailed({ ask: ['The lease is not that of a delivery.'] });
    default:
      return handleMultipart(request, keyOf(await leaseOutputs(attempt), request.file), reach);
  }
}

/** The requested file and those after it, which the worker needs next. */
function following(keys: ReadonlyMap<string, string>, { from }: RequestFor<'inputs' | 'outputs'>): [string, string][] {
  const all = [...keys];
  const first = all.findIndex(([name]) => name === from);
  if (first < 0) throw unknownFile('from');
  return all.slice(first, first + maxUrls);
}

function keyOf(outputs: ReadonlyMap<string, string>, file: string): string {
  const key = outputs.get(file);
  if (key === undefined) throw unknownFile('file');
  return key;
}

const unknownFile = (field: string): ValidationFailed =>
  new ValidationFailed({ [field]: [`The lease has no such ${field === 'file' ? 'file' : 'name'}.`] });

/** The store refuses the id of a multipart upload with the key of another object. */
async function handleMultipart(
  request: RequestFor<'open' | 'parts' | 'close' | 'abort'>,
  key: string,
  reach: UrlAudience,
): Promise<FileResponse> {
  if (request.ask === 'open') return { s3UploadId: await createMultipart(key, contentTypeOf(request.file)) };
  const upload: Multipart = { key, s3UploadId: request.s3UploadId };
  if (request.ask === 'parts') return { urls: await partUrls(upload, request, reach) };
  if (request.ask === 'close') await close(upload, request);
  else await abortMultipart(upload);
  return {};
}

async function partUrls(
  upload: Multipart,
  { from, count }: RequestFor<'parts'>,
  reach: UrlAudience,
): Promise<Record<string, string>> {
  const numbers = Array.from({ length: count }, (_, offset) => from + offset);
  return Object.fromEntries(
    await Promise.all(
      numbers.map(async (number) => [String(number), await signPart(upload, number, { audience: reach })] as const),
    ),
  );
}

/** Completes a multipart upload. A worker that got no answer repeats the request, and completing it again succeeds. */
async function close(upload: Multipart, { parts }: RequestFor<'close'>): Promise<void> {
  try {
    await completeMultipart(
      upload,
      parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag, Size: 0 })),
    );
  } catch (error) {
    if (error instanceof PartsRefused) throw new ValidationFailed({ parts: [error.message] });
    throw error;
  }
}
