import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Invocation, serveInvocations } from '../../../encoder-task/lambda/runtime-api.ts';
import { startRuntimeApi } from './runtime-api-server.ts';

test('each invocation is handled with its event and deadline, and a failed one does not end the process', async () => {
  const api = await startRuntimeApi([
    { event: { name: 'first' }, deadlineMs: 1000 },
    { event: { name: 'fails' }, deadlineMs: 2000 },
    { event: { name: 'third' }, deadlineMs: 3000 },
  ]);
  onTestFinished(api.close);
  const shutdown = new AbortController();
  const handled: Invocation[] = [];
  const errors: unknown[] = [];
  const served = serveInvocations({
    address: api.address,
    handle: async (invocation) => {
      handled.push(invocation);
      if (handled.length === 2) throw new TypeError('broken');
    },
    onError: (error) => errors.push(error),
    shutdown: shutdown.signal,
  });
  await api.done;
  expect(handled).toEqual([
    { event: { name: 'first' }, deadlineMs: 1000 },
    { event: { name: 'fails' }, deadlineMs: 2000 },
    { event: { name: 'third' }, deadlineMs: 3000 },
  ]);
  expect(api.answered).toEqual([
    { id: 'id1', path: 'response', body: null },
    { id: 'id2', path: 'error', body: { errorType: 'TypeError', errorMessage: 'broken' } },
    { id: 'id3', path: 'response', body: null },
  ]);
  expect(errors).toEqual([new TypeError('broken')]);

  shutdown.abort();
  await expect(served).rejects.toThrow('aborted');
});

test('a runtime API that refuses the call ends the process', async () => {
  const server = createServer((_, response) => response.writeHead(403).end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const never = async (): Promise<void> => undefined;
  const runtime = { address, handle: never, onError: never, shutdown: new AbortController().signal };
  await expect(serveInvocations(runtime)).rejects.toThrow('the runtime API answered next with 403');
});
