import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyLoopbackAddress, sendFrom } from './send-from.ts';

export type Stream = {
  id: number;
  name: string;
  type: string;
  status: string;
  width: number | null;
  height: number | null;
  size: number | null;
  language: string | null;
  channels: number | null;
  meta: Record<string, unknown>;
  error_log: string | null;
};
export type Output = {
  name: string | null;
  format: string;
  status: string;
  progress: number;
  error_log: string | null;
};
export type Video = {
  id: number;
  ulid: string;
  name: string;
  status: string;
  duration: number | null;
  replace_error: string | null;
  aspect_ratio: string | null;
  playable_at: string | null;
  thumbnail_path: string | null;
  externalUserId: string | null;
  streams: Stream[];
  outputs: Output[];
};
export type Source = { format: string; url: string };
export type Usage = { metric: string; external_user_id: string | null; value: number; date: string };
export type PostForm = { url: string; fields: Record<string, string> };

type Upload = {
  file: string;
  template: string;
  partBytes: number;
  externalUserId?: string;
  replaces?: string;
  settings?: object;
};

/** A user may send 300 requests a minute, and each one costs about 20 ms of CPU time. */
const lookEveryMs = 1000;
const longestWaitMs = 600_000;

type Send = (url: string, options: RequestInit) => Promise<Response>;

/** An HTTP client of the public API that shares no code with the service. `send` performs its requests. */
export async function signUp(apiUrl: string, send?: Send) {
  const { cookie } = await register(apiUrl, send);
  return clientOfSession(apiUrl, cookie, send);
}

export type Account = { email: string; password: string };

/**
 * A new user, with the cookie of the session that registration returns. Registration is rate-limited by address, so
 * each user registers from another loopback address.
 */
export async function register(
  apiUrl: string,
  send: Send = sendFrom({ localAddress: anyLoopbackAddress() }),
): Promise<Account & { cookie: string }> {
  const email = `${crypto.randomUUID()}@example.com`;
  const password = crypto.randomUUID();
  const account = { name: 'Journey', email, password, password_confirmation: password };
  return { email, password, cookie: await cookieOf(`${apiUrl}/register`, account, send) };
}

export const signIn = async (apiUrl: string, account: Account, send: Send = fetch) =>
  clientOfSession(apiUrl, await cookieOf(`${apiUrl}/login`, account, send), send);

async function cookieOf(url: string, body: object, send: Send): Promise<string> {
  const answer = await callBy(send)(url, { method: 'POST', ...json(body) });
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** A client with a token of the user whose session this is. */
export async function clientOfSession(apiUrl: string, cookie: string, send: Send = fetch) {
  const body = JSON.stringify({ name: 'journey' });
  const headers = { 'content-type': 'application/json', cookie };
  const made = await callBy(send)(`${apiUrl}/api/tokens`, { method: 'POST', headers, body });
  return createClient(apiUrl, ((await made.json()) as { token: string }).token, send);
}

export function createClient(apiUrl: string, token: string, sendRequest: Send = fetch) {
  const call = callBy(sendRequest);
  const authorization = `Bearer ${token}`;
  const get = async <Answer>(path: string): Promise<Answer> =>
    (await call(`${apiUrl}${path}`, { headers: { authorization } })).json() as Promise<Answer>;
  const send =
    (method: string) =>
    async <Answer>(path: string, body: object): Promise<Answer> => {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await call(`${apiUrl}${path}`, { method, body: JSON.stringify(body), headers });
      return answer.json() as Promise<Answer>;
    };
  const [post, put] = [send('POST'), send('PUT')];
  const remove = (path: string): Promise<Response> =>
    call(`${apiUrl}${path}`, { method: 'DELETE', headers: { authorization } });
  const getVideo = async (ulid: string) => (await get<{ data: Video }>(`/api/videos/${ulid}`)).data;

  /** Polls until the video fulfils the predicate. Throws when the video fails or the time is over. */
  async function waitFor(
    ulid: string,
    reached: (video: Video) => boolean,
    { atMostMs = longestWaitMs, everyMs = lookEveryMs } = {},
  ): Promise<Video> {
    const endMs = Date.now() + atMostMs;
    for (;;) {
      // The video does not exist before the store's event has arrived. An overloaded service says to try again.
      const video = await getVideo(ulid).catch((error: unknown) => {
        if (error instanceof Refused && [404, 503].includes(error.status)) return undefined;
        throw error;
      });
      if (video && reached(video)) return video;
      if (Date.now() > endMs || video?.status === 'failed') {
        throw new Error(`The video does not get there: ${JSON.stringify(video)}`);
      }
      await sleep(everyMs);
    }
  }

  return {
    token,
    get,
    post,
    put,
    remove,
    getVideo,
    waitFor,

    addStream: async (stream: object): Promise<Stream> => (await post<{ data: Stream }>('/api/streams', stream)).data,
    changeStream: async (id: number, changes: object): Promise<Stream> =>
      (await put<{ data: Stream }>(`/api/streams/${id}`, changes)).data,
    deleteStream: (id: number): Promise<Response> => remove(`/api/streams/${id}`),

    /** The upload's ULID. */
    async makeTemplate(query: object): Promise<string> {
      return (await post<{ data: { ulid: string } }>('/api/templates', { name: 'journey', query })).data.ulid;
    },

    /** Uploads a file in parts of this size to the store. Returns the ULID of its future video. */
    async upload({ file, template, partBytes, externalUserId, replaces, settings }: Upload): Promise<string> {
      type Created = { ulid: string; uploadId: string };
      const external = externalUserId && { externalUserId };
      const metadata = { template, ...external, ...(replaces && { replaces }), ...settings };
      const { ulid, uploadId } = await post<Created>('/api/objstore/multipart', { filename: basename(file), metadata });
      const path = `/api/objstore/multipart/${encodeURIComponent(uploadId)}`;
      await using source = await open(file);
      const { size } = await source.stat();
      const parts: { PartNumber: number; ETag: string }[] = [];
      for (let sent = 0; sent < size; sent += partBytes) {
        const PartNumber = parts.length + 1;
        const body = Buffer.alloc(Math.min(partBytes, size - sent));
        await source.read(body, 0, body.length, sent);
        const { url } = await get<{ url: string }>(`${path}/${PartNumber}`);
        const answer = await call(url, { method: 'PUT', body });
        parts.push({ PartNumber, ETag: answer.headers.get('etag')! });
      }
      await post(`${path}/complete`, { parts });
      return ulid;
    },

    /** The URL and fields with which a browser form uploads a file in one request. */
    postForm: (filename: string, template: string) =>
      get<PostForm>(`/api/objstore/params?${new URLSearchParams({ filename, 'metadata[template]': template })}`),

    /** Reprocesses a finished video, with another template if one is given. */
    async reprocess(ulid: string, template?: string, { force }: { force?: boolean } = {}): Promise<void> {
      if (template !== undefined) {
        const { data } = await get<{ data: { id: number } }>(`/api/templates/${template}`);
        await put(`/api/videos/${ulid}`, { template_id: data.id });
      }
      await post(`/api/videos/${ulid}/reprocess`, force === undefined ? {} : { force });
    },

    waitUntilDone: (ulid: string, patience?: Parameters<typeof waitFor>[2]) =>
      waitFor(ulid, ({ status }) => status === 'completed' || status === 'failed', patience),

    /** Playback URLs by format. */
    async sources(ulid: string): Promise<Record<string, string>> {
      const { sources } = await get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
      return Object.fromEntries(sources.map(({ format, url }) => [format, url]));
    },

    /** Makes a video public. Returns its playback URLs, which need no signature. */
    async publicSources(ulid: string): Promise<string[]> {
      await put(`/api/videos/${ulid}`, { playback: 'public' });
      const { sources } = await get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
      return sources.map(({ url }) => url);
    },

    async usageOfToday(): Promise<Usage[]> {
      const day = new Date().toISOString().slice(0, 10);
      return (await get<{ data: Usage[] }>(`/api/usage?from=${day}&to=${day}`)).data;
    },
  };
}

export type Client = Awaited<ReturnType<typeof signUp>>;

/** An unsuccessful response. */
export class Refused extends Error {
  readonly status: number;

  constructor({ status }: Response, message: string) {
    super(message);
    this.status = status;
  }
}

const callBy =
  (send: Send): Send =>
  async (url, options) => {
    const answer = await send(url, options);
    if (answer.ok) return answer;
    throw new Refused(answer, `${options.method ?? 'GET'} ${url} answers ${answer.status}: ${await answer.text()}`);
  };

const json = (body: object): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
