import { contentTypeOf } from '../../shared/media/content-types.ts';
import type { FileAnswer, FileRequest } from '../../shared/protocol/jobs.ts';
import { presignedGet, presignedPut, signedUrls } from '../aws/object-store.ts';
import type { UrlAudience } from '../aws/presign.ts';
import { abortMultipart, completeMultipart, createMultipart, PartsRefused, signPart } from '../aws/upload-store.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { type Caller, reachOf } from './caller.ts';
import { leaseInputs, leaseOutputs, urlsAtOnce } from './compose-lease.ts';
import { givenLease, isOpen } from './given-lease.ts';

type About<Ask extends FileRequest['ask']> = Extract<FileRequest, { ask: Ask }>;
type Multipart = { key: string; s3UploadId: string };

/**
 * Gives the holder of a lease what it needs for more files than the lease has URLs for, and for files in parts. Only names that the job's plan has are
 * signed, in the folder of the lease's own attempt.
 * @throws Conflict when the lease is over, ValidationFailed when the lease has no such file
 */
export async function answerFileRequest(request: FileRequest, { node }: Pick<Caller, 'node'>): Promise<FileAnswer> {
  const known = await givenLease(request.lease);
  if (!known || !isOpen(known.job)) throw new Conflict('The lease is over.');
  const attempt = { ...known.job, attempt: known.attempt };
  const reach = reachOf(node);
  switch (request.ask) {
    case 'inputs':
      return {
        urls: await signedUrls(following(await leaseInputs(attempt, known.about.video), request), presignedGet, reach),
      };
    case 'outputs':
      return { urls: await signedUrls(following(await leaseOutputs(attempt), request), presignedPut, reach) };
    default:
      return answerMultipart(request, keyOf(await leaseOutputs(attempt), request.file), reach);
  }
}

/** The file asked for and those after it, since they are next. */
function following(keys: ReadonlyMap<string, string>, { from }: About<'inputs' | 'outputs'>): [string, string][] {
  const all = [...keys];
  const first = all.findIndex(([name]) => name === from);
  if (first < 0) throw unknownFile('from');
  return all.slice(first, first + urlsAtOnce);
}

function keyOf(outputs: ReadonlyMap<string, string>, file: string): string {
  const key = outputs.get(file);
  if (key === undefined) throw unknownFile('file');
  return key;
}

const unknownFile = (field: string): ValidationFailed =>
  new ValidationFailed({ [field]: [`The lease has no such ${field === 'file' ? 'file' : 'name'}.`] });

/** The store holds an upload's id to its key, so that an id of another object is refused there. */
async function answerMultipart(
  request: About<'open' | 'parts' | 'close' | 'abort'>,
  key: string,
  reach: UrlAudience,
): Promise<FileAnswer> {
  if (request.ask === 'open') return { uploadId: await createMultipart(key, contentTypeOf(request.file)) };
  const upload: Multipart = { key, s3UploadId: request.uploadId };
  if (request.ask === 'parts') return { urls: await partUrls(upload, request, reach) };
  if (request.ask === 'close') await close(upload, request);
  else await abortMultipart(upload);
  return {};
}

async function partUrls(
  upload: Multipart,
  { from, count }: About<'parts'>,
  reach: UrlAudience,
): Promise<Record<string, string>> {
  const numbers = Array.from({ length: count }, (_, offset) => from + offset);
  return Object.fromEntries(
    await Promise.all(numbers.map(async (number) => [String(number), await signPart(upload, number, reach)] as const)),
  );
}

/** Joined before is as good as joined now: a worker that got no answer asks again. */
async function close(upload: Multipart, { parts }: About<'close'>): Promise<void> {
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
