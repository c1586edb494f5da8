import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limitConnections } from './connection-limit.ts';
import { describeError, type WriteLine } from './log.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The body of an error that a server answers itself. The ID is also in the header x-request-id. */
export type ErrorBody = (problem: Problem & { requestId: string }) => object;

type Problem = { status: number; message: string };

export type HttpLimits = {
  /** Time for the headers of a request, from the first byte of the connection or the end of the previous response. */
  headersTimeoutMs: number;
  /** Time for headers and body. 0: the handler limits the time for the body. */
  requestTimeoutMs: number;
  /** Time without traffic in either direction during a request or its response. */
  idleTimeoutMs: number;
  /** Interval at which `headersTimeoutMs` and `requestTimeoutMs` are checked. */
  checkEveryMs?: number;
  /** When half of them are in use, idle connections are closed; `limitConnections` describes the shares of clients. */
  maxConnections?: number;
  /** addresses and networks of reverse proxies */
  trustedProxies?: readonly string[];
  /** Default: the message alone. */
  errorBody?: ErrorBody;
};

/** Limits for servers with small requests. A function answers within 30 s. */
export const smallRequests: HttpLimits = { headersTimeoutMs: 30_000, requestTimeoutMs: 30_000, idleTimeoutMs: 120_000 };

/** Limits for the object store: an upload may take hours, and a reader may pause. */
export const largeTransfers: HttpLimits = { headersTimeoutMs: 30_000, requestTimeoutMs: 0, idleTimeoutMs: 600_000 };

const maxHeaderSize = 16 * 1024;
const maxHeaders = 200;

/** Longer than clients keep idle connections, so that a client does not write to a connection that is being closed. */
const keepAliveMs = 65_000;

/**
 * Creates a server that answers every request: with 500 when the handler throws or does not answer, and with 400 when
 * there are two Host headers. Slow requests and idle connections are closed, large headers rejected.
 */
export function createHttpServer(handle: RequestHandler, limits: HttpLimits, writeLine: WriteLine): Server {
  const { headersTimeoutMs, requestTimeoutMs, idleTimeoutMs, checkEveryMs = 1000 } = limits;
  const { maxConnections = 1000, trustedProxies = [], errorBody = messageAlone } = limits;
  const underWay = new WeakMap<Socket, ServerResponse>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The connection was refused.
    if (!request.socket.writable) return;
    underWay.set(request.socket, response);
    const problem = targetProblem(request.url!) ?? headerProblem(request.rawHeaders);
    if (problem) return refuse(response, problem, errorBody);
    try {
      await handle(request, response);
      if (!response.headersSent && !response.destroyed)
        throw new Error(`The handler did not answer the ${request.method} request.`);
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      writeLine('http', describeError(error));
      refuse(response, { status: 500, message: 'Internal Server Error' }, errorBody);
    }
  }

  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkEveryMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize,
    },
    (request, response) => void respond(request, response),
  );
  server.timeout = idleTimeoutMs;
  limitConnections(server, {
    maxConnections,
    trustedProxies,
    refuse: (socket, response) => refuseConnection(socket, response, errorBody),
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = underWay.get(socket);
    const isHalfSent = response?.headersSent && !response.writableFinished;
    if (!socket.writable || isHalfSent) return void socket.destroy();
    socket.end(rawResponse(problemOf(error), errorBody));
  });
  return server;
}

const messageAlone: ErrorBody = ({ message }) => ({ message });

/** A space or `#` is not sent by clients that follow the standard, and would be the end of the path further inside. */
const targetProblem = (target: string): Problem | undefined =>
  /[\s#]/.test(target) ? { status: 400, message: 'The target of the request has a space or a #.' } : undefined;

function headerProblem(rawHeaders: readonly string[]): Problem | undefined {
  if (rawHeaders.length > 2 * maxHeaders) return { status: 431, message: 'The request has too many headers.' };
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? { status: 400, message: 'The request has more than one Host header.' } : undefined;
}

/** The response to a request that cannot be parsed. */
function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'The request took too long.' };
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'The headers of the request are too large.' };
  return { status: 400, message: 'The request is not HTTP/1.1.' };
}

function refuse(response: ServerResponse, problem: Problem, errorBody: ErrorBody): void {
  const requestId = randomUUID();
  response
    .writeHead(problem.status, {
      'content-type': 'application/json',
      'x-request-id': requestId,
      connection: 'close',
    })
    .end(JSON.stringify(errorBody({ ...problem, requestId })));
}

/** Time for a client to receive the refusal. */
const refusalMs = 1000;

function refuseConnection(socket: Socket, response: ServerResponse | undefined, errorBody: ErrorBody): void {
  if (response?.headersSent) return void socket.destroy();
  const message = 'The service has too many connections.';
  socket.on('error', () => {});
  socket.end(rawResponse({ status: 503, message }, errorBody, ['Retry-After: 1']));
  setTimeout(() => socket.destroy(), refusalMs).unref();
}

function rawResponse(problem: Problem, errorBody: ErrorBody, more: readonly string[] = []): string {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody({ ...problem, requestId }));
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.message.slice(0, -1)}`,
    ...more,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Listens for programs on this machine alone, by default on a port that the system chooses. Returns the port. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
