import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Given = { event: unknown; deadlineMs: number };
export type Answered = { id: string; path: string; body: unknown };

/** The runtime API of Lambda: gives each invocation once, then lets the function wait. */
export async function startRuntimeApi(invocations: readonly Given[]) {
  const answered: Answered[] = [];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let given = 0;
  const server = createServer(async (request, response) => {
    const [, version, , , id = '', path = ''] = request.url!.split('/');
    if (version !== '2018-06-01') return void response.writeHead(404).end();
    if (request.method === 'GET' && id === 'next') {
      const next = invocations[given++];
      if (!next) return resolve();
      response.setHeader('Lambda-Runtime-Aws-Request-Id', `id${given}`);
      response.setHeader('Lambda-Runtime-Deadline-Ms', String(next.deadlineMs));
      return void response.end(JSON.stringify(next.event));
    }
    answered.push({ id, path, body: JSON.parse(await text(request)) });
    response.writeHead(202).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    /** resolves when the function waits for another invocation than those that are given */
    done,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
