import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { describeError, type WriteLine } from './log.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Answers every request: with 500 also where the handler throws, or ends without an answer. */
export function createHttpServer(handle: RequestHandler, writeLine: WriteLine): Server {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await handle(request, response);
      if (!response.headersSent && !response.destroyed)
        throw new Error(`No answer to ${request.method} ${request.url}`);
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      writeLine('http', describeError(error));
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"Internal Server Error"}');
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  // A part of an upload may take as long as it takes.
  server.requestTimeout = 0;
  // Longer than clients keep idle connections, so that none writes into one that is just being closed.
  server.keepAliveTimeout = 65_000;
  return server;
}

export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
