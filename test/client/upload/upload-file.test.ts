import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient } from '../../../client/create-client.ts';
import type { StartedUpload, UploadOptions } from '../../../client/upload/upload-file.ts';
import { createFakeService, serveUpload } from '../support/fake-service.ts';
import { temporaryFolder } from '../support/run-cli.ts';

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 20 }));
afterEach(() => void vi.useRealTimers());

function prepare(text = '0123456789') {
  const service = createFakeService();
  const { parts, state } = serveUpload(service);
  const client = createClient(service);
  const upload = (options: Partial<UploadOptions> = {}) =>
    client.upload(new Blob([text], { type: 'video/mp4' }), { filename: 'a.mp4', template: 'T', ...options });
  return { service, parts, state, client, upload };
}

const all = { 1: '0123', 2: '4567', 3: '89' };
const completion = { parts: [1, 2, 3].map((PartNumber) => ({ PartNumber, ETag: `"${PartNumber}"` })) };

test('a file is uploaded in parts and completed in their order', async () => {
  const { parts, state, upload } = prepare();
  const sent: number[] = [];
  const onProgress: UploadOptions['onProgress'] = ({ sentBytes, totalBytes }) => sent.push(sentBytes / totalBytes);
  expect(await upload({ externalUserId: 'crm-1', onProgress })).toEqual({ ulid: 'V' });
  expect(Object.fromEntries(parts)).toEqual(all);
  expect(state.created).toEqual({
    filename: 'a.mp4',
    type: 'video/mp4',
    size: 10,
    metadata: { template: 'T', externalUserId: 'crm-1' },
  });
  expect(state.completed).toEqual(completion);
  expect(sent[0]).toBe(0);
  expect(sent.at(-1)).toBe(1);
  expect(sent).toEqual(sent.toSorted((a, b) => a - b));
});

test('a file for a video needs no template', async () => {
  const { state, client } = prepare();
  await client.upload(new Blob(['0123456789']), { filename: 'a.mp4', replaces: 'W' });
  expect(state.created).toMatchObject({ filename: 'a.mp4', metadata: { replaces: 'W' } });
  await expect(client.upload(new Blob(['0']), { filename: 'a.mp4' })).rejects.toThrow('template is missing');
});

test('a stopped upload stays open, and is continued with the missing parts only', async () => {
  const { service, parts, state, upload } = prepare();
  const stop = new AbortController();
  let started: StartedUpload | undefined;
  const onStarted = (upload: StartedUpload): void => {
    started = upload;
  };
  const onProgress: UploadOptions['onProgress'] = ({ sentBytes }) => {
    if (sentBytes >= 4) stop.abort();
  };
  await expect(upload({ concurrency: 1, signal: stop.signal, onStarted, onProgress })).rejects.toThrow('aborted');
  expect([...parts.keys()]).toEqual([1]);
  expect(state).not.toHaveProperty('aborted');

  service.requests.length = 0;
  const sent: number[] = [];
  const resume = JSON.parse(JSON.stringify(started)) as StartedUpload;
  await upload({ resume, onProgress: ({ sentBytes }) => sent.push(sentBytes) });
  expect(service.requests.filter((name) => name.startsWith('PUT')).toSorted()).toEqual([
    'PUT /store/2',
    'PUT /store/3',
  ]);
  expect(service.requests).not.toContain('POST /api/objstore/multipart');
  expect(Object.fromEntries(parts)).toEqual(all);
  expect(state.completed).toEqual(completion);
  expect(sent[0]).toBe(4);
});

test('an upload that is stopped while it is created is discarded', async () => {
  const { service, state, upload } = prepare();
  const stop = new AbortController();
  const onStarted = vi.fn();
  const create = service.handlers['POST /api/objstore/multipart']!;
  service.handlers['POST /api/objstore/multipart'] = (request) => {
    stop.abort();
    return create(request);
  };
  await expect(upload({ signal: stop.signal, onStarted })).rejects.toThrow('aborted');
  await expect.poll(() => state).toMatchObject({ created: { filename: 'a.mp4' }, aborted: true });
  expect(onStarted).not.toHaveBeenCalled();
});

test('a part of another length is sent again', async () => {
  const { parts, upload } = prepare();
  parts.set(1, '01');
  await upload({ resume: { ulid: 'V', uploadId: 'U', partBytes: 4 } });
  expect(Object.fromEntries(parts)).toEqual(all);
});

test('an upload that does not exist any more starts anew', async () => {
  const { parts, upload } = prepare();
  expect(await upload({ resume: { ulid: 'W', uploadId: 'gone', partBytes: 5 } })).toEqual({ ulid: 'V' });
  expect(Object.fromEntries(parts)).toEqual(all);
});

test('a part that the store refuses is signed and sent again', async () => {
  const { service, parts, upload } = prepare('0123');
  const put = service.handlers['PUT /store/1']!;
  const refusals = [403, 503];
  service.handlers['PUT /store/1'] = (request) => {
    const status = refusals.shift();
    return status === undefined ? put(request) : { status };
  };
  await upload();
  expect(Object.fromEntries(parts)).toEqual({ 1: '0123' });
  expect(service.requests.filter((name) => name.endsWith('/U/1'))).toHaveLength(3);
});

test('an upload ends with the error of the store after five attempts', async () => {
  const { service, upload } = prepare('0123');
  service.handlers['PUT /store/1'] = () => ({ status: 503 });
  await expect(upload()).rejects.toMatchObject({ status: 503, message: 'The store refused a part: 503.' });
  expect(service.requests.filter((name) => name === 'PUT /store/1')).toHaveLength(5);
});

test('a part whose signing is throttled by API Gateway is signed and sent later', async () => {
  const { service, parts, upload } = prepare();
  const sign = service.handlers['GET /api/objstore/multipart/U/2']!;
  const throttled = { status: 429, body: { message: 'Too Many Requests' } };
  let left = 6;
  service.handlers['GET /api/objstore/multipart/U/2'] = (request) => (left-- > 0 ? throttled : sign(request));
  const uploaded = upload();
  await vi.advanceTimersByTimeAsync(60_000);
  await uploaded;
  expect(Object.fromEntries(parts)).toEqual(all);
});

test('an upload ends at once when the service does not sign any more', async () => {
  const { service, upload } = prepare('0123');
  service.handlers['GET /api/objstore/multipart/U/1'] = () => ({ status: 401, body: { message: 'Unauthenticated.' } });
  await expect(upload()).rejects.toMatchObject({ status: 401, message: 'Unauthenticated.' });
  expect(service.requests.filter((name) => name.endsWith('/U/1'))).toHaveLength(1);
});

test('an upload ends at once when its file cannot be read any more', async () => {
  const { service, client } = prepare();
  const path = join(temporaryFolder(), 'a.mp4');
  await writeFile(path, '0123');
  const file = await openAsBlob(path);
  await writeFile(path, 'another length');
  await expect(client.upload(file, { filename: 'a.mp4', template: 'T' })).rejects.toMatchObject({
    name: 'UnreadableFileError',
    message: 'The file cannot be read any more. It was changed, moved or deleted.',
  });
  expect(service.requests.filter((name) => name.endsWith('/U/1'))).toHaveLength(1);
});

test('after a failed part no further parts are started', async () => {
  const { service, upload } = prepare();
  service.handlers['GET /api/objstore/multipart/U/1'] = () => ({ status: 401, body: { message: 'Unauthenticated.' } });
  await expect(upload({ concurrency: 2 })).rejects.toMatchObject({ status: 401 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(service.requests).not.toContain('PUT /store/3');
});

test('an empty file is refused before an upload is created', async () => {
  const { service, upload } = prepare('');
  await expect(upload()).rejects.toThrow('The file is empty.');
  expect(service.requests).toEqual([]);
});

test('an upload can be discarded', async () => {
  const { state, client } = prepare();
  await client.abortUpload('U');
  expect(state.aborted).toBe(true);
});

test('a client with an upload token needs no template, sends no cookies, and keeps no parts of another file', async () => {
  const { service, parts, state } = prepare();
  const seen: Request[] = [];
  const fetch = (request: Request): Promise<Response> => {
    seen.push(request.clone());
    return service.fetch(request);
  };
  const client = createClient({ ...service, fetch, token: '1|unused', uploadToken: 'V_secret' });
  parts.set(4, 'of another file');
  service.handlers['DELETE /api/objstore/multipart/U'] = () => {
    parts.clear();
    return { body: {} };
  };
  expect(await client.upload(new Blob(['0123456789']), { filename: 'a.mp4' })).toEqual({ ulid: 'V' });
  expect(state.created).toEqual({ filename: 'a.mp4', type: null, size: 10 });
  expect(Object.fromEntries(parts)).toEqual(all);
  expect(state.completed).toEqual(completion);
  const calls = seen.filter(({ url }) => url.includes('/api/'));
  expect(new Set(calls.map(({ headers }) => headers.get('authorization')))).toEqual(new Set(['Bearer V_secret']));
  expect(new Set(calls.map(({ credentials }) => credentials))).toEqual(new Set(['omit']));
});

test('without an upload token, a missing template is an error', async () => {
  const { service, upload } = prepare();
  await expect(upload({ template: undefined as never })).rejects.toThrow('The option template is missing.');
  expect(service.requests).toEqual([]);
});
