import { basename } from 'node:path';
import { ApiError } from '../../api-error.ts';
import type { Client } from '../../create-client.ts';
import type { UploadOptions } from '../../upload/upload-file.ts';
import { type LocalFile, openUnchanged } from './local-file.ts';
import { isSameFile, type UploadIdentity, type UploadState, type UploadStates } from './upload-state.ts';

export type ResumableOptions = {
  parallelParts: number;
  /** Forgets what earlier commands have uploaded. */
  restart: boolean;
  signal: AbortSignal;
  onProgress: NonNullable<UploadOptions['onProgress']>;
  note: (line: string) => void;
};

/** `isEarlier`: an earlier command has uploaded the file. */
export type Uploaded = { ulid: string; isEarlier: boolean };

/** The event of the store creates the video, so it can be absent for a moment. */
const maxAbsenceMs = 60_000;

/**
 * Uploads a file, or continues the upload that an earlier command began with it.
 * @throws ApiError, CommandError when the file changes, the reason of the signal
 */
export async function uploadResumably(
  { client, states }: { client: Client; states: UploadStates },
  file: LocalFile,
  identity: UploadIdentity,
  options: ResumableOptions,
): Promise<Uploaded> {
  const state = await usableState({ client, states }, file, identity, options);
  if (state && (await isStored(client, state))) {
    states.write({ ...state, uploadedAt: state.uploadedAt ?? new Date().toISOString() });
    return { ulid: state.upload.ulid, isEarlier: true };
  }
  const { url: _url, path: _path, ...described } = identity;
  let started: UploadState | undefined = state && { ...state, uploadedAt: null };
  const opened = await openUnchanged(file);
  try {
    const { ulid } = await client.upload(opened.blob, {
      filename: basename(file.path),
      ...described,
      concurrency: options.parallelParts,
      signal: options.signal,
      onProgress: options.onProgress,
      ...(started && { resume: started.upload }),
      onStarted: (upload) => {
        const { sizeBytes, mtimeMs } = file;
        started = { version: 1, identity, sizeBytes, mtimeMs, upload, uploadedAt: null };
        states.write(started);
      },
    });
    if (started) states.write({ ...started, uploadedAt: new Date().toISOString() });
    return { ulid, isEarlier: false };
  } catch (error) {
    options.signal.throwIfAborted();
    // The Blob refuses to read a changed file, which fetch reports as a failed connection.
    if (!(error instanceof ApiError)) await opened.requireUnchanged();
    throw error;
  } finally {
    await opened.close();
  }
}

/** The state of the earlier upload, unless the file was changed since, or the upload must begin anew. */
async function usableState(
  { client, states }: { client: Client; states: UploadStates },
  file: LocalFile,
  identity: UploadIdentity,
  { restart, note }: ResumableOptions,
): Promise<UploadState | undefined> {
  const state = states.read(identity);
  if (!state) return undefined;
  if (!restart && isSameFile(state, file)) return state;
  if (!restart) note(`${file.name} was changed since its upload began. It is uploaded from the beginning.`);
  // Completed or removed uploads cannot be aborted, and need not be.
  if (state.uploadedAt === null) await client.abortUpload(state.upload.uploadId).catch(ignoreRefusal);
  states.remove(identity);
  return undefined;
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError) || error.status === 401) throw error;
}

/** Whether the upload has become a video, which may be after the command was killed. */
async function isStored({ api }: Client, { upload, uploadedAt }: UploadState): Promise<boolean> {
  try {
    await api.GET('/api/videos/{ulid}', { params: { path: { ulid: upload.ulid } } });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return uploadedAt !== null && Date.now() - Date.parse(uploadedAt) < maxAbsenceMs;
  }
}
