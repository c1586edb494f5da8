import type { Fetch } from '../api.ts';

export type PartRequest = {
  /** signed */
  url: string;
  body: Blob;
  signal: AbortSignal | undefined;
  /** Called with the bytes of this attempt that are sent so far. Only browsers report them. */
  onSent(bytes: number): void;
};

export type PartResponse = { status: number; etag: string | null };

/** The part of XMLHttpRequest that is used. Node has none. */
declare const XMLHttpRequest:
  | (new () => {
      status: number;
      upload: { onprogress: ((event: { loaded: number }) => void) | null };
      onload: (() => void) | null;
      onerror: (() => void) | null;
      onabort: (() => void) | null;
      open(method: string, url: string): void;
      send(body: Blob): void;
      abort(): void;
      getResponseHeader(name: string): string | null;
    })
  | undefined;

/** Sends a part. `fetch` does not report how much of a body is sent; XMLHttpRequest does, where it exists. */
export const sendPart = (fetch: Fetch, request: PartRequest): Promise<PartResponse> =>
  typeof XMLHttpRequest === 'undefined' ? sendByFetch(fetch, request) : sendByXhr(new XMLHttpRequest(), request);

async function sendByFetch(fetch: Fetch, { url, body, signal }: PartRequest): Promise<PartResponse> {
  const { status, headers } = await fetch(new Request(url, { method: 'PUT', body, ...(signal && { signal }) }));
  return { status, etag: headers.get('etag') };
}

type Xhr = InstanceType<NonNullable<typeof XMLHttpRequest>>;

function sendByXhr(xhr: Xhr, { url, body, signal, onSent }: PartRequest): Promise<PartResponse> {
  const abort = (): void => xhr.abort();
  const response = new Promise<PartResponse>((resolve, reject) => {
    xhr.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, body.size));
    xhr.onload = () => resolve({ status: xhr.status, etag: xhr.getResponseHeader('etag') });
    xhr.onerror = () => reject(new TypeError('The store did not answer.'));
    xhr.onabort = () => reject(signal?.reason ?? new TypeError('The request was aborted.'));
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    xhr.open('PUT', url);
    xhr.send(body);
  });
  return response.finally(() => signal?.removeEventListener('abort', abort));
}
