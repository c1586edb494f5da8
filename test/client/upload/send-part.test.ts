import { afterEach, expect, test, vi } from 'vitest';
import { sendPart } from '../../../client/upload/send-part.ts';

const fetch = () => Promise.reject(new Error('fetch is not used in browsers'));
const body = new Blob(['0123456789']);

/** As in a browser: the test decides how the request ends. */
class FakeXhr {
  static last: FakeXhr;
  status = 0;
  upload: { onprogress: ((event: { loaded: number }) => void) | null } = { onprogress: null };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  opened: string[] = [];
  sent: unknown;
  constructor() {
    FakeXhr.last = this;
  }
  open(method: string, url: string): void {
    this.opened = [method, url];
  }
  send(body: Blob): void {
    this.sent = body;
  }
  abort(): void {
    this.onabort?.();
  }
  getResponseHeader(name: string): string | null {
    return name === 'etag' ? '"tag"' : null;
  }
}

afterEach(() => vi.unstubAllGlobals());

function start(signal?: AbortSignal) {
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
  const progress: number[] = [];
  const response = sendPart(fetch, {
    url: 'https://store/part',
    body,
    signal,
    onSent: (bytes) => progress.push(bytes),
  });
  return { response, progress, xhr: FakeXhr.last };
}

test('a browser reports how much of a part is sent', async () => {
  const { response, progress, xhr } = start();
  xhr.upload.onprogress!({ loaded: 4 });
  // Some browsers count the headers too.
  xhr.upload.onprogress!({ loaded: 12 });
  xhr.status = 200;
  xhr.onload!();
  expect(await response).toEqual({ status: 200, etag: '"tag"' });
  expect(progress).toEqual([4, 10]);
  expect([xhr.opened, xhr.sent]).toEqual([['PUT', 'https://store/part'], body]);
});

test('a lost connection is an error', async () => {
  const { response, xhr } = start();
  xhr.onerror!();
  await expect(response).rejects.toThrow(TypeError);
});

test('an aborted part is not sent further', async () => {
  const stop = new AbortController();
  const { response } = start(stop.signal);
  stop.abort(new Error('paused'));
  await expect(response).rejects.toThrow('paused');
});

test('nothing is sent after an abort', async () => {
  await expect(start(AbortSignal.abort(new Error('paused'))).response).rejects.toThrow('paused');
  expect(FakeXhr.last.opened).toEqual([]);
});

test('without XMLHttpRequest, fetch sends the part', async () => {
  const sent: Request[] = [];
  const respond = async (request: Request) => {
    sent.push(request);
    return new Response(null, { headers: { etag: '"tag"' } });
  };
  const request = { url: 'https://store/part', body, signal: undefined, onSent: () => undefined };
  expect(await sendPart(respond, request)).toEqual({ status: 200, etag: '"tag"' });
  expect([sent[0]!.method, await sent[0]!.text()]).toEqual(['PUT', '0123456789']);
});
