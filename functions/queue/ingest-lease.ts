import type { FileRequest, FileResponse, IngestSpec, JobLimits, Lease } from '../../shared/protocol/jobs.ts';
import type { UrlAudience } from '../aws/presign.ts';
import { listParts, signPart } from '../aws/upload-store.ts';
import { userTargets } from '../common/allowed-targets.ts';
import { Conflict, QuotaExceeded, ValidationFailed } from '../common/errors.ts';
import { uploadLimits } from '../common/limits.ts';
import { keyProblem } from '../storages/object-in-storage.ts';
import { openStorage } from '../storages/open-storage.ts';
import { StorageError } from '../storages/storage-error.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { findJobWithIngest, type IngestOfJob, recordSource, startFetching } from '../table/ingests/ingest-table.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import type { Ingest, IngestJob, Upload } from '../table/records.ts';
import { findStorage } from '../table/storages/storage-table.ts';
import { holdKnownBytes } from '../table/uploads/upload-table.ts';
import { reachOf } from './caller.ts';
import { limits as jobLimits } from './compose-lease.ts';
import { type GrantedIngestLease, isFetched } from './granted-lease.ts';

/** How many parts a lease or a response has URLs for. */
const urlCount = 32;

/** A large file takes hours. The worker requests new URLs when those of the lease have expired. */
const limits: JobLimits = { ...jobLimits, wallSeconds: 24 * 3600, stallSeconds: 60 };

/** The lease of an attempt to fetch the file of an ingest. Undefined when the file is not needed any more. */
export async function composeIngestLease(job: IngestJob): Promise<Lease | undefined> {
  const { ingestOfJob } = await findJobWithIngest(job);
  if (!ingestOfJob || !isFetched(ingestOfJob)) return undefined;
  const { upload, ingest } = ingestOfJob;
  if (ingest.status === 'pending') await startFetching(ingest.ulid);
  const spec = await composeSpec(ingestOfJob);
  if (!spec) return undefined;
  const stored = new Set(spec.storedParts.map(({ number }) => number));
  const missing = Array.from({ length: stored.size + urlCount }, (_, index) => index + 1).filter((n) => !stored.has(n));
  return {
    id: job.lease ?? '',
    kind: job.kind,
    spec,
    inputs: {},
    outputs: await partUrls(upload, missing.slice(0, urlCount), reachOf(job.leaseHolder ?? poolNode)),
    limits,
  };
}

/** Undefined when the parts have been joined or deleted since the ingest was read. */
async function composeSpec({ upload, ingest }: IngestOfJob): Promise<IngestSpec | undefined> {
  const { maxBytes, source } = ingest;
  const parts = await listParts(upload);
  if (!parts) return undefined;
  const found = await sourceOf(ingest);
  if (!found) return undefined;
  return {
    kind: 'ingest',
    url: found.url,
    partBytes: uploadLimits.suggestedPartBytes,
    maxBytes,
    source,
    // Without a version of the file, these parts may be of another one.
    storedParts: (source?.validator ? parts : []).map(({ PartNumber, Size, ETag }) => ({
      number: PartNumber,
      bytes: Size,
      etag: ETag,
    })),
    allowLoopback: userTargets('ingest').allowLoopback,
    ...(found.storageName !== undefined && { storage: { name: found.storageName, urlSeconds } }),
  };
}

/** Enough for the requests of some parts: those of a long fetch are made with later URLs. */
const urlSeconds = 1800;

/**
 * Where the file of an ingest is. Undefined when the ingest has ended, or its storage is deleted, has another prefix or
 * cannot be opened: the ingest ends when it is continued.
 */
async function sourceOf(ingest: Ingest): Promise<{ url: string; storageName?: string } | undefined> {
  const { url, storageUlid, storageKey = '', ownerUlid } = ingest;
  if (storageUlid === undefined) return url === undefined ? undefined : { url };
  const storage = await findStorage(ownerUlid, storageUlid);
  if (!storage || keyProblem(storage, storageKey) !== undefined) return undefined;
  try {
    const { signedUrl } = await openStorage(storage);
    return { url: await signedUrl('GET', storageKey, { expiresSeconds: urlSeconds }), storageName: storage.name };
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

/**
 * Answers the worker of an ingest: URLs of further parts, or whether the quota allows what it has found at the URL.
 * @throws ValidationFailed for every other request
 */
export async function handleIngestRequest(
  request: FileRequest,
  { ingestOfJob: { upload, ingest } }: GrantedIngestLease,
  reach: UrlAudience,
): Promise<FileResponse> {
  if (request.ask === 'outputs') {
    const first = Number(request.from);
    if (!Number.isInteger(first) || first < 1 || first > uploadLimits.maxParts) {
      throw new ValidationFailed({ from: ['The lease has no such part.'] });
    }
    const last = Math.min(uploadLimits.maxParts, first + urlCount - 1);
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return { urls: await partUrls(upload, numbers, reach) };
  }
  if (request.ask === 'source-url') {
    const found = await sourceOf(ingest);
    if (!found) throw new Conflict('lease_over', 'The storage of the ingest cannot be used any more.');
    return { urls: { source: found.url } };
  }
  if (request.ask !== 'source') throw new ValidationFailed({ ask: ['The lease of an ingest has no such file.'] });
  const { sizeBytes, validator } = request;
  if (ingest.source) return {};
  try {
    // First, so that an attempt that follows a crash between the two writes holds the size.
    if (sizeBytes !== null) await holdSize(upload, sizeBytes);
  } catch (error) {
    if (error instanceof QuotaExceeded) return { quotaExceeded: error.message };
    throw error;
  }
  await recordSource(ingest.ulid, { sizeBytes, validator });
  return {};
}

/** Other uploads of the user must not use what this file needs while it is fetched. */
async function holdSize(upload: Upload, sizeBytes: number): Promise<void> {
  const owner = await findUser(upload.ownerUlid);
  // The removal of the owner closes the upload.
  if (owner) await holdKnownBytes(upload, sizeBytes, owner.quota);
}

async function partUrls(upload: Upload, numbers: number[], reach: UrlAudience): Promise<Record<string, string>> {
  const sign = async (number: number) => [String(number), await signPart(upload, number, { audience: reach })] as const;
  return Object.fromEntries(await Promise.all(numbers.map(sign)));
}
