import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readBody } from '../../../infra/local/body.ts';
import { listen } from '../../../infra/local/listen.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<void>;

/** Status and text that a handler answers one request with, over a real socket. */
export async function asked(handle: Handler, body: string, headers: Record<string, string> = {}) {
  const server = createServer(async (request, response) => handle(request, response, await readBody(request, 1e6)));
  const port = await listen(server, 0);
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
