import { api } from '../api/client.ts';

/** How long the URLs of a video are valid until the user chooses another time. */
export const defaultLinkSeconds = 21_600;

const request = (ulid: string, expires_in: number) =>
  api.GET('/api/videos/{ulid}/sources', { params: { path: { ulid }, query: { expires_in } } });

const running = new Map<string, ReturnType<typeof request>>();

/**
 * The URLs of a video's outputs. Player and links of a page show the same URLs and ask for them at the same time: they
 * share one request.
 */
export function loadSources(ulid: string, seconds: number = defaultLinkSeconds): ReturnType<typeof request> {
  const key = `${ulid} ${seconds}`;
  const shared = running.get(key);
  if (shared) return shared;
  const started = request(ulid, seconds).finally(() => running.delete(key));
  running.set(key, started);
  return started;
}

/**
 * The URL under which a browser saves an MP4 file, with the name that the URL has. The name stays encoded as it is:
 * delivery accepts no other encoding.
 */
export const downloadUrl = (url: string): string => `${url}&download=1`;
