import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { signUp } from './support/client.ts';

const apiUrl = inject('apiUrl');

test('a token that expires is refused on the connection that it was accepted on', async () => {
  const client = await signUp(apiUrl);
  const created = await client.post<{ token: string }>('/api/tokens', {
    name: 'short',
    abilities: ['videos:read'],
    expires_at: new Date(Date.now() + 30_000).toISOString(),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ports = new Set<number | undefined>();

  const listVideos = async (): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const headers = { authorization: `Bearer ${created.token}` };
    get(`${apiUrl}/api/videos`, { agent, headers }, async (response) => {
      ports.add(response.socket.localPort);
      const body = JSON.parse(await text(response)) as { code?: string };
      resolve(`${response.statusCode} ${body.code ?? ''}`.trim());
    }).once('error', reject);
    return promise;
  };
  expect(await listVideos()).toBe('200');
  await expect.poll(listVideos, { interval: 1000 }).toBe('401 token_expired');
  expect(ports.size).toBe(1);
});
