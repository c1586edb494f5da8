import { api } from '../api/client.ts';

/** How long the URLs of a video are valid until the user chooses another time. */
export const defaultLinkSeconds = 21_600;

const request = (ulid: string, expires_in: number) =>
  api.GET('/api/videos/{ulid}/sources', { params: { path: { ulid }, query: { expires_in } } });

const startedNow = new Map<string, ReturnType<typeof request>>();

/**
 * The URLs of a video's outputs. Player and links of a page show the same URLs and ask for them at the same time: they
 * share one request. A request that began earlier is not shared, because it may not know of the change that a later
 * call is made for, such as another completed output.
 */
export function loadSources(ulid: string, seconds: number = defaultLinkSeconds): ReturnType<typeof request> {
  const key = `${ulid} ${seconds}`;
  const shared = startedNow.get(key);
  if (shared) return shared;
  const started = request(ulid, seconds);
  startedNow.set(key, started);
  queueMicrotask(() => startedNow.delete(key));
  return started;
}

/**
 * The URL under which a browser saves an MP4 file, with the name that the URL has. The name stays encoded as it is:
 * delivery accepts no other encoding.
 */
export const downloadUrl = (url: string): string => `${url}&download=1`;
