import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clip, PictureSettings, StartedUpload, TrackSettings } from '../../upload/upload-file.ts';
import type { LocalFile } from './local-file.ts';

/** What must be equal for an upload to be continued. */
export type UploadIdentity = {
  url: string;
  path: string;
  template: string;
  externalUserId?: string;
  externalResourceId?: string;
  metadata?: Readonly<Record<string, string>>;
  tags?: readonly string[];
  picture?: PictureSettings;
  tracks?: TrackSettings;
  clip?: Clip;
};

/** An upload that a command has begun. It is stored until all files of the command are uploaded. */
export type UploadState = {
  version: 1;
  identity: UploadIdentity;
  sizeBytes: number;
  mtimeMs: number;
  upload: StartedUpload;
  uploadedAt: string | null;
};

export type UploadStates = ReturnType<typeof createUploadStates>;

/** Longer than the service keeps an unfinished upload. */
const maxAgeMs = 30 * 86_400_000;

/**
 * The states of uploads, in one file each. They are written synchronously: the state must be stored before the first
 * part is sent, or a killed command would leave an upload that cannot be continued.
 */
export function createUploadStates(folder: string) {
  const pathOf = (identity: UploadIdentity): string => join(folder, `${keyOf(identity)}.json`);
  return {
    read: (identity: UploadIdentity): UploadState | undefined => parseState(readText(pathOf(identity))),
    write(state: UploadState): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(state.identity);
      const next = `${path}.${randomUUID()}`;
      writeFileSync(next, JSON.stringify(state), { mode: 0o600, flag: 'wx', flush: true });
      renameSync(next, path);
    },
    remove: (identity: UploadIdentity): void => rmSync(pathOf(identity), { force: true }),
    /** Removes states of uploads that the service has removed long ago. */
    removeOld(nowMs: number): void {
      for (const name of namesIn(folder)) {
        const path = join(folder, name);
        // Another process may have renamed or removed it since.
        const stats = statSync(path, { throwIfNoEntry: false });
        if (stats && nowMs - stats.mtimeMs > maxAgeMs) rmSync(path, { force: true });
      }
    },
  };
}

function keyOf({ url, path, template, externalUserId, externalResourceId, ...described }: UploadIdentity): string {
  const { metadata, tags, picture, tracks, clip } = described;
  const settings = picture || tracks || clip ? [picture ?? null, tracks ?? null, ...(clip ? [clip] : [])] : [];
  const description = metadata || tags || settings.length > 0 ? [metadata ?? null, tags ?? null, ...settings] : [];
  const fields = [url, path, template, externalUserId ?? null, externalResourceId ?? null, ...description];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 32);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Undefined for a file that is damaged or of another version: the upload then begins anew. */
function parseState(text: string | undefined): UploadState | undefined {
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as UploadState;
    return state.version === 1 && typeof state.upload.uploadId === 'string' ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the file is the one that the upload began with. */
export const isSameFile = (state: Pick<UploadState, 'sizeBytes' | 'mtimeMs'>, file: LocalFile): boolean =>
  state.sizeBytes === file.sizeBytes && state.mtimeMs === file.mtimeMs;
