import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A local file; `name` is the path as the user wrote it. */
export type FileToUpload = { path: string; name: string; sizeBytes: number };

export type Stream = { type: string; error_log: string | null };
export type Output = {
  ulid: string;
  name: string | null;
  format: string;
  status: string;
  progress: number;
  error_log: string | null;
};
export type Video = {
  ulid: string;
  name: string;
  status: string;
  streams: Stream[];
  outputs: Output[];
};
export type Source = { format: string; name: string; url: string };
export type Sources = { sources: Source[]; poster_url: string | null; storyboard_url: string | null };

const concurrentParts = 4;
const attemptsPerPart = 3;
/** Divided among the videos that a client polls: a user may make 300 requests per minute. */
const pollMs = 500;
const attemptsWhenThrottled = 3;
/** The S3 event creates the video, so GET answers 404 until then. */
const maxAbsenceMs = 60_000;

/** An error response, with the message of the API. */
export class ApiRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiRefused';
    this.status = status;
  }
}

/**
 * Creates an API token with the password of an account.
 * @throws ApiRefused for a wrong password
 */
export async function createToken(
  apiUrl: string,
  account: { email: string; password: string },
  name: string,
): Promise<string> {
  const login = await call(`${apiUrl}/login`, { method: 'POST', body: account });
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const created = await call(`${apiUrl}/api/tokens`, { method: 'POST', body: { name }, headers: { cookie } });
  return ((await created.json()) as { token: string }).token;
}

/** The API operations that turn a file into playable URLs. */
export function createClient(apiUrl: string, token: string) {
  const ask = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await call(`${apiUrl}${path}`, {
      method,
      ...(body && { body }),
      headers: { authorization: `Bearer ${token}` },
    });
    return (answer.status === 204 ? undefined : await answer.json()) as Answer;
  };
  let followed = 0;
  const getVideo = async (ulid: string) => (await ask<{ data: Video }>('GET', `/api/videos/${ulid}`)).data;

  return {
    ask,
    getVideo,

    /** The user who owns the token. */
    me: () => ask<{ email: string }>('GET', '/api/me'),

    /** The ULID of the user's template with this name, which is created if it does not exist. */
    async ensureTemplate(name: string, query: object): Promise<string> {
      type Template = { ulid: string; name: string };
      const { data } = await ask<{ data: Template[] }>('GET', '/api/templates');
      const known = data.find((template) => template.name === name);
      if (known) return known.ulid;
      return (await ask<{ data: Template }>('POST', '/api/templates', { name, query })).data.ulid;
    },

    /** Uploads a file in concurrent parts. Returns the ULID of its future video. */
    async upload(file: FileToUpload, template: string, onBytes: (bytes: number) => void): Promise<string> {
      type Created = { ulid: string; uploadId: string; suggestedPartSize: number };
      const body = { filename: basename(file.name), metadata: { template } };
      const { ulid, uploadId, suggestedPartSize } = await ask<Created>('POST', '/api/objstore/multipart', body);
      const path = `/api/objstore/multipart/${encodeURIComponent(uploadId)}`;
      const blob = await openAsBlob(file.path);
      const numbers = Array.from({ length: Math.ceil(file.sizeBytes / suggestedPartSize) }, (_, index) => index + 1);
      const parts: { PartNumber: number; ETag: string }[] = [];

      const sendParts = async () => {
        for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
          const part = blob.slice((number - 1) * suggestedPartSize, number * suggestedPartSize);
          const ETag = await retry(async () => {
            const { url } = await ask<{ url: string }>('GET', `${path}/${number}`);
            return putPart(url, part);
          });
          parts.push({ PartNumber: number, ETag });
          onBytes(part.size);
        }
      };
      try {
        await Promise.all(Array.from({ length: concurrentParts }, sendParts));
      } catch (error) {
        await ask('DELETE', path).catch(() => {});
        throw error;
      }
      parts.sort((a, b) => a.PartNumber - b.PartNumber);
      await ask('POST', `${path}/complete`, { parts });
      return ulid;
    },

    /** Polls a video until it is completed or failed. Reports every state that it reads. */
    async follow(ulid: string, onChange: (video: Video) => void): Promise<Video> {
      const absenceEndsMs = Date.now() + maxAbsenceMs;
      followed += 1;
      try {
        for (;;) {
          const video = await getVideo(ulid).catch((error: unknown) => {
            if (error instanceof ApiRefused && error.status === 404 && Date.now() < absenceEndsMs) return undefined;
            throw error;
          });
          if (video) onChange(video);
          if (video && (video.status === 'completed' || video.status === 'failed')) return video;
          await sleep(pollMs * followed);
        }
      } finally {
        followed -= 1;
      }
    },

    sources: (ulid: string): Promise<Sources> => ask('GET', `/api/videos/${ulid}/sources`),
  };
}

export type Client = ReturnType<typeof createClient>;

type Call = { method: string; body?: object; headers?: Record<string, string> };

async function call(url: string, request: Call, attempts: number = attemptsWhenThrottled): Promise<Response> {
  const { method, body, headers } = request;
  const answer = await fetch(url, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.ok) return answer;
  const waitSeconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  if (answer.status === 429 && waitSeconds >= 0 && attempts > 1) {
    await sleep(waitSeconds * 1000);
    return call(url, request, attempts - 1);
  }
  const { message = answer.statusText } = (await answer.json().catch(() => ({}))) as { message?: string };
  throw new ApiRefused(answer.status, message);
}

async function putPart(url: string, part: Blob): Promise<string> {
  const answer = await fetch(url, { method: 'PUT', body: part });
  if (!answer.ok) throw new ApiRefused(answer.status, `The store refused a part: ${answer.statusText}.`);
  return answer.headers.get('etag')!;
}

async function retry<Result>(work: () => Promise<Result>, attempts: number = attemptsPerPart): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (attempts <= 1) throw error;
    await sleep(1000);
    return retry(work, attempts - 1);
  }
}
