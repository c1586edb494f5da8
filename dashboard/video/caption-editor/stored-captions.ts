import { bodyOf } from '../../../client/api.ts';
import { errorOf } from '../../../client/api-error.ts';
import { api } from '../../api/client.ts';
import { type Caption, type CaptionKind, formOf, isPending, paramsOf } from '../captions/caption-form.ts';
import { isSameFile } from './cue-faults.ts';

/** Which text track of which video is edited. */
export type Track = { ulid: string; language: string; kind: CaptionKind };

/** A text track as the service has it; `file` is null while there is none. */
export type StoredCaptions = { caption: Caption; file: string | null };

/** Loads a text track with its file. Null when the video has no such track. */
export async function loadCaptions(
  { ulid, language, kind }: Track,
  signal?: AbortSignal,
): Promise<{ data: StoredCaptions | null; response: Response }> {
  const { data, response } = await api.GET('/api/videos/{ulid}/captions', {
    params: { path: { ulid } },
    ...(signal && { signal }),
  });
  const caption = data?.data.find((one) => one.language === language && one.kind === kind);
  return { data: caption ? { caption, file: await fileAt(caption.url, signal) } : null, response };
}

async function fileAt(url: string | null, signal?: AbortSignal): Promise<string | null> {
  if (url === null) return null;
  const response = await fetch(url, signal ? { signal } : {});
  if (!response.ok) throw await errorOf(response);
  return response.text();
}

/** What has happened to captions since they were loaded. */
export type Conflict = 'deleted' | 'pending' | 'changed';

/** The service stores whatever comes last, so what it has is compared before. */
export function conflictWith(now: StoredCaptions | null, loadedFile: string): Conflict | undefined {
  if (now === null) return 'deleted';
  if (isPending(now.caption)) return 'pending';
  return now.file !== null && isSameFile(now.file, loadedFile) ? undefined : 'changed';
}

/** Stores a file in place of captions, with their name, and as the default if they are it. */
export async function storeCaptions(ulid: string, caption: Caption, file: string): Promise<Caption> {
  const stored = api.PUT('/api/videos/{ulid}/captions/{language}', {
    params: paramsOf(ulid, formOf(caption)),
    body: file,
    bodySerializer: (text) => text,
    headers: { 'content-type': 'text/vtt' },
  });
  return (await bodyOf(stored)).data;
}
