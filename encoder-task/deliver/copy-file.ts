import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FileResponse, FileToCopy, SignedTarget, StoredPart } from '../../shared/protocol/jobs.ts';
import { type PartRange, partRanges } from '../ingest/part-plan.ts';
import { eachInParallel } from '../runtime/each-in-parallel.ts';
import type { SignedUrl } from '../transfer/store-fetch.ts';
import type { CopyContext } from './copy-context.ts';
import { putPiece } from './put-piece.ts';
import { mismatch } from './storage-errors.ts';

/** The URLs of a file: they are asked for again when one is refused. */
export type FileUrls = { current: FileToCopy; renew: () => Promise<FileToCopy> };

/** Copies a file and has it compared with what was sent. */
export async function copyFile(context: CopyContext, urls: FileUrls): Promise<void> {
  const { bytes, partBytes } = urls.current;
  if (partBytes !== undefined) return copyInParts(context, urls, partBytes);
  const piece = await context.reader.read({ urlOf: sourceOf(urls), startByte: 0, endByte: bytes, isWhole: true });
  try {
    const targetOf = async (isRefused: boolean): Promise<SignedTarget> =>
      requireTarget(isRefused ? await urls.renew() : urls.current);
    const { isCompared } = await putPiece(context, targetOf, piece);
    if (!isCompared) await compare(context, urls.current);
  } finally {
    await piece.release();
  }
}

const fileOf = ({ position }: FileToCopy): string => String(position);

const sourceOf =
  (urls: FileUrls): SignedUrl =>
  async (rejected) =>
    (rejected === urls.current.source ? await urls.renew() : urls.current).source;

function requireTarget({ target }: FileToCopy): SignedTarget {
  if (!target) throw new JobError('OUTPUT_MISMATCH', 'the service returned no URL for a file');
  return target;
}

async function compare(context: CopyContext, file: FileToCopy): Promise<void> {
  const { isSame } = await ask(context, { ask: 'compare', file: fileOf(file) });
  if (!isSame) throw mismatch();
}

const parallelParts = 4;
/** How many URLs of parts are asked for at a time. */
const urlCount = 20;

/** Copies a large file in parts, without those that an earlier attempt has stored. The service joins them. */
async function copyInParts(context: CopyContext, urls: FileUrls, partBytes: number): Promise<void> {
  const file = fileOf(urls.current);
  const { s3UploadId, storedParts = [] } = await ask(context, { ask: 'open', file });
  if (s3UploadId === undefined) throw new JobError('OUTPUT_MISMATCH', 'the service began no upload for a file');
  const parts = new Map(storedParts.map((part) => [part.number, part.etag]));
  const missing = partRanges(urls.current.bytes, partBytes).filter((range) => !isStored(range, storedParts));
  const known = new Map<number, string>();
  const urlOfPart = async (number: number): Promise<SignedTarget> => {
    if (!known.has(number)) {
      const count = Math.min(urlCount, Math.ceil(urls.current.bytes / partBytes) - number + 1);
      const { urls: signed = {} } = await ask(context, { ask: 'parts', file, s3UploadId, from: number, count });
      for (const [name, url] of Object.entries(signed)) known.set(Number(name), url);
    }
    return { url: known.get(number) ?? '', headers: {} };
  };
  await eachInParallel(missing, parallelParts, async ({ number, startByte, endByte }) => {
    const piece = await context.reader.read({ urlOf: sourceOf(urls), startByte, endByte, isWhole: false });
    try {
      const targetOf = (isRefused: boolean): Promise<SignedTarget> => {
        if (isRefused) known.clear();
        return urlOfPart(number);
      };
      const { etag } = await putPiece(context, targetOf, piece);
      if (etag === null) throw new JobError('STORAGE_FAILED', 'The storage returned no ETag for a part of a file.');
      parts.set(number, etag);
    } finally {
      await piece.release();
    }
  });
  const all = [...parts].map(([number, etag]) => ({ number, etag })).toSorted((a, b) => a.number - b.number);
  await ask(context, { ask: 'close', file, s3UploadId, parts: all });
}

const isStored = ({ number, startByte, endByte }: PartRange, stored: readonly StoredPart[]): boolean =>
  stored.some((part) => part.number === number && part.bytes === endByte - startByte);

type Request = Parameters<CopyContext['askParts']>[0];

/** @throws JobError for what the store of the user has answered to the service */
export async function ask({ askParts }: Pick<CopyContext, 'askParts'>, request: Request): Promise<FileResponse> {
  const response = await askParts(request);
  const { failure } = response;
  if (failure) throw new JobError(failure.code, failure.message, { fatal: failure.fatal });
  return response;
}
