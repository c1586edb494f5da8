import { type Api, bodyOf, type Fetch } from '../api.ts';
import { ApiError } from '../api-error.ts';
import type { components } from '../api-types.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { putPart } from './put-part.ts';

/** An upload that was started. Keep it, as JSON for example, to continue the upload later with the same file. */
export type StartedUpload = {
  /** of the future video */
  ulid: string;
  uploadId: string;
  partBytes: number;
};

export type PictureSettings = NonNullable<components['schemas']['TemplateQuery']['picture']>;

export type TrackSettings = NonNullable<components['schemas']['TemplateQuery']['tracks']>;

/** Seconds of the file: at least one of the two. */
export type Clip = { start_seconds?: number; end_seconds?: number };

export type UploadOptions = {
  filename: string;
  /**
   * ULID of the template. A client with an upload token needs none: the token has it, with the external IDs, the
   * metadata, the tags, the picture and the tracks.
   */
  template?: string;
  /** ULID of a video of the user that gets the file as its source. It keeps its template and all else. */
  replaces?: string;
  externalUserId?: string;
  externalResourceId?: string;
  /** Pairs and tags of the video. */
  metadata?: Readonly<Record<string, string>>;
  tags?: readonly string[];
  /** Instead of `picture` in the template: how the picture is cropped, rotated, flipped and deinterlaced. */
  picture?: PictureSettings;
  /** Instead of `tracks` in the template: which tracks of the file are used. */
  tracks?: TrackSettings;
  /** The part of the file that becomes the video. */
  clip?: Clip;
  /** Parts that are uploaded at the same time. The default is 4. */
  concurrency?: number;
  /**
   * Called at the start with what is uploaded already, after each part, and in browsers while a part is sent. The
   * amount falls when a part must be sent again.
   */
  onProgress?: (progress: { sentBytes: number; totalBytes: number }) => void;
  /** Called as soon as the upload can be continued. */
  onStarted?: (upload: StartedUpload) => void;
  /** Continues this upload: only the missing parts are sent. It starts anew if the upload does not exist any more. */
  resume?: StartedUpload;
  /** Stops the upload. After `onStarted` it stays open, and can be continued or aborted. */
  signal?: AbortSignal;
};

const defaultConcurrency = 4;

/**
 * Uploads a file in concurrent parts. Each part is tried several times.
 * @param file of a browser, or `await openAsBlob(path)` of node:fs
 * @returns the ULID of the video, which exists a moment later, or has the file as its source then
 * @throws ApiError, UnreadableFileError, RangeError for an empty file, TypeError without a template or connection, the
 * reason of the signal
 */
export async function uploadFile(
  { api, fetch, uploadToken }: { api: Api; fetch: Fetch; uploadToken?: string | undefined },
  file: Blob,
  options: UploadOptions,
): Promise<{ ulid: string }> {
  if (file.size === 0) throw new RangeError('The file is empty.');
  const { signal } = options;
  const { upload, uploaded } = await startOrResume(api, file, options, uploadToken !== undefined);
  const path = { uploadId: upload.uploadId };
  const missing = missingParts({ totalBytes: file.size, partBytes: upload.partBytes, uploaded });
  let sentBytes = file.size - missing.reduce((sum, { startByte, endByte }) => sum + endByte - startByte, 0);
  /** bytes of the parts that are being sent, by number */
  const sending = new Map<number, number>();
  const report = (): void => {
    const partBytes = [...sending.values()].reduce((sum, bytes) => sum + bytes, 0);
    options.onProgress?.({ sentBytes: sentBytes + partBytes, totalBytes: file.size });
  };
  report();

  const sent: UploadedPart[] = uploaded.filter(({ PartNumber }) =>
    missing.every(({ number }) => number !== PartNumber),
  );
  const sendParts = async (): Promise<void> => {
    for (let part = missing.shift(); part !== undefined; part = missing.shift()) {
      sent.push(await sendPart(part));
      sentBytes += part.endByte - part.startByte;
      sending.delete(part.number);
      report();
    }
  };
  const sendPart = async ({ number, startByte, endByte }: Part): Promise<UploadedPart> => {
    const body = file.slice(startByte, endByte);
    const sign = async (): Promise<string> =>
      (
        await bodyOf(
          api.GET('/api/objstore/multipart/{uploadId}/{partNumber}', {
            params: { path: { ...path, partNumber: number }, query: { size: body.size } },
            ...(signal && { signal }),
          }),
        )
      ).url;
    const onSent = (bytes: number): void => {
      sending.set(number, bytes);
      report();
    };
    return { PartNumber: number, Size: body.size, ETag: await putPart(fetch, { sign, body, signal, onSent }) };
  };
  try {
    await Promise.all(Array.from({ length: options.concurrency ?? defaultConcurrency }, sendParts));
  } finally {
    // After a failure the other loops would send the rest of the file.
    missing.length = 0;
  }

  const parts = sent
    .map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    .toSorted((a, b) => a.PartNumber - b.PartNumber);
  await api.POST('/api/objstore/multipart/{uploadId}/complete', {
    params: { path },
    body: { parts },
    ...(signal && { signal }),
  });
  return { ulid: upload.ulid };
}

type Resumed = { upload: StartedUpload; uploaded: UploadedPart[] };

async function startOrResume(api: Api, file: Blob, options: UploadOptions, byToken: boolean): Promise<Resumed> {
  if (options.resume) {
    const uploaded = await listParts(api, options.resume.uploadId);
    if (uploaded) return { upload: options.resume, uploaded };
  }
  if (options.template === undefined && options.replaces === undefined && !byToken)
    throw new TypeError('The option template is missing.');
  let upload = await createUpload(api, file, options);
  // The service continues the upload of a token, which may have parts of another file.
  if (byToken && (await listParts(api, upload.uploadId))?.length) {
    await abortUpload(api, upload.uploadId);
    upload = await createUpload(api, file, options);
  }
  options.onStarted?.(upload);
  return { upload, uploaded: [] };
}

/**
 * Creates an upload. The request is not stopped with the rest: the service may have created the upload already, which
 * would stay open although nobody knows its ID.
 */
async function createUpload(api: Api, file: Blob, options: UploadOptions): Promise<StartedUpload> {
  const { signal } = options;
  if (!signal) return requestUpload(api, file, options);
  signal.throwIfAborted();
  const creation = requestUpload(api, file, options);
  try {
    return await unlessAborted(creation, signal);
  } catch (error) {
    // If that fails, the upload expires after a week.
    if (signal.aborted) void creation.then(({ uploadId }) => abortUpload(api, uploadId)).catch(() => undefined);
    throw error;
  }
}

async function requestUpload(api: Api, file: Blob, options: UploadOptions): Promise<StartedUpload> {
  const { filename, template, replaces, externalUserId, externalResourceId, ...described } = options;
  const { metadata, tags, picture, tracks, clip } = described;
  const created = await bodyOf(
    api.POST('/api/objstore/multipart', {
      body: {
        filename,
        type: file.type === '' ? null : file.type,
        size: file.size,
        ...((template !== undefined || replaces !== undefined) && {
          metadata: {
            ...(template !== undefined && { template }),
            ...(replaces !== undefined && { replaces }),
            ...(externalUserId !== undefined && { externalUserId }),
            ...(externalResourceId !== undefined && { externalResourceId }),
            ...(metadata && { metadata }),
            ...(tags && { tags: [...tags] }),
            ...(picture && { picture }),
            ...(tracks && { tracks }),
            ...(clip && { clip }),
          },
        }),
      },
    }),
  );
  return { ulid: created.ulid, uploadId: created.uploadId, partBytes: created.suggestedPartSize };
}

/** Discards an upload that was not completed. */
export async function abortUpload(api: Api, uploadId: string): Promise<void> {
  await api.DELETE('/api/objstore/multipart/{uploadId}', { params: { path: { uploadId } } });
}

/** Undefined when the upload does not exist any more. */
async function listParts(api: Api, uploadId: string): Promise<UploadedPart[] | undefined> {
  try {
    return await bodyOf(api.GET('/api/objstore/multipart/{uploadId}', { params: { path: { uploadId } } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** A part of a file: bytes [startByte, endByte). Numbers begin at 1. */
type Part = { number: number; startByte: number; endByte: number };

/** A part that the store has, with the field names of S3. */
type UploadedPart = { PartNumber: number; Size: number; ETag: string };

/** The parts that the store does not have in full length. */
function missingParts(file: { totalBytes: number; partBytes: number; uploaded: readonly UploadedPart[] }): Part[] {
  const { totalBytes, partBytes } = file;
  const sizes = new Map(file.uploaded.map(({ PartNumber, Size }) => [PartNumber, Size]));
  return Array.from({ length: Math.ceil(totalBytes / partBytes) }, (_, index) => ({
    number: index + 1,
    startByte: index * partBytes,
    endByte: Math.min(totalBytes, (index + 1) * partBytes),
  })).filter(({ number, startByte, endByte }) => sizes.get(number) !== endByte - startByte);
}
