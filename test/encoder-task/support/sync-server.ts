import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SyncRequest, type SyncResponse, syncRequestSchema } from '../../../shared/protocol/jobs.ts';

type Answer = SyncResponse | { status: number; headers?: Record<string, string> };

/** The service for a worker: `answer` responds to each call, `calls` records them. */
export type SyncServer = {
  url: string;
  calls: SyncRequest[];
  /** resolves with the first past or future call that `matches` */
  called: (matches: (call: SyncRequest) => boolean) => Promise<SyncRequest>;
  close: () => Promise<void>;
};

export const token = '01JNODE.s3cretOfTheNode';

export async function startSyncServer(answer: (call: SyncRequest, n: number) => Answer): Promise<SyncServer> {
  const calls: SyncRequest[] = [];
  const waiting = new Set<(call: SyncRequest) => void>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    const body: Buffer[] = [];
    for await (const bytes of request) body.push(bytes);
    const call = syncRequestSchema.parse(JSON.parse(Buffer.concat(body).toString()));
    calls.push(call);
    const answered = answer(call, calls.length);
    if ('status' in answered) response.writeHead(answered.status, answered.headers).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
    for (const look of waiting) look(call);
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/workers/sync`,
    calls,
    called: (matches) => {
      const seen = calls.find(matches);
      if (seen) return Promise.resolve(seen);
      return new Promise((resolve) => {
        const look = (call: SyncRequest): void => {
          if (!matches(call)) return;
          waiting.delete(look);
          resolve(call);
        };
        waiting.add(look);
      });
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
