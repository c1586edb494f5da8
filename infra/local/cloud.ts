import { createServer, type Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { CannotStart } from './cannot-start.ts';
import { prepareDataFolder } from './data-folder.ts';
import { listen } from './listen.ts';
import { describeError, type LogLevel, type WriteLine, writeToStderr } from './log.ts';
import { openServices, type RequestHandler, type Services } from './services.ts';

export type CloudOptions = {
  /** Holds all state; one instance at a time. */
  dataFolder: string;
  /** The API's. The AWS services have the next one, the proxy the one after that. 0: three that are free. */
  port: number;
  /** A cloud assembly of the stage `local`. */
  templateFolder: string;
  /** Encode processes at a time; the cores of the machine, at most 4, unless given. */
  workers?: number;
  logLevel?: LogLevel;
  writeLine?: WriteLine;
  /** Added to the environment of every function. */
  env?: Record<string, string>;
  /** Made if there is none of this address. */
  admin?: { name: string; email: string; password: string };
};

export type Cloud = {
  apiUrl: string;
  awsUrl: string;
  proxyUrl: string;
  bucketName: string;
  adminCreated: boolean;
  /** Stops everything within five seconds; what is under way goes on at the next start. */
  close(): Promise<void>;
};

/**
 * Runs the stack of a cloud assembly on this machine, reachable from this machine only.
 * @throws CannotStart for what the user can put right: the data folder, a port, another instance
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const { port, templateFolder, logLevel = 'ERROR', writeLine = writeToStderr } = options;
  const { workers = Math.min(availableParallelism(), 4), env = {}, admin } = options;
  const dataFolder = resolve(options.dataFolder);
  await prepareDataFolder(dataFolder);

  // The addresses have to be known before the template can be resolved: requests that come earlier wait.
  const ready = Promise.withResolvers<Services>();
  ready.promise.catch(() => {});
  const serve = (pick: (services: Services) => RequestHandler) =>
    createHttpServer(async (request, response) => pick(await ready.promise)(request, response), writeLine);
  const servers = [serve(({ api }) => api), serve(({ aws }) => aws), serve(({ proxy }) => proxy)];
  let services: Services | undefined;
  const stopServing = async () => {
    await Promise.all(servers.map(stopServer));
  };

  try {
    const ports: number[] = [];
    for (const [index, server] of servers.entries()) ports.push(await listen(server, port && port + index));
    const [apiUrl, awsUrl, proxyUrl] = ports.map((one) => `http://127.0.0.1:${one}`) as [string, string, string];
    services = await openServices({
      templateFolder,
      dataFolder,
      apiUrl,
      awsUrl,
      workers,
      logLevel,
      writeLine,
      environment: env,
      stopServing,
    });
    ready.resolve(services);
    const proxy = { name: 'local', hostname: new URL(proxyUrl).host, scheme: 'http' } as const;
    const { adminCreated } = await services.setUp({ ...(admin && { admin }), proxy });
    services.startSchedules();
    return { apiUrl, awsUrl, proxyUrl, bucketName: services.bucketName, adminCreated, close: services.close };
  } catch (error) {
    ready.reject(error);
    await services?.close();
    await stopServing();
    throw isLocked(error) ? inUse(dataFolder) : error;
  }
}

function createHttpServer(handle: RequestHandler, writeLine: WriteLine): Server {
  const server = createServer(async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      writeLine('http', describeError(error));
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"Internal Server Error"}');
    }
  });
  // A part of an upload may take as long as it takes.
  server.requestTimeout = 0;
  // Longer than clients keep idle connections, so that none writes into one that is just being closed.
  server.keepAliveTimeout = 65_000;
  return server;
}

async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

const inUse = (folder: string) =>
  new CannotStart(
    `The data folder ${folder} is in use by another instance: stop that one, or set DATA_DIR to another folder.`,
  );

function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'LEVEL_LOCKED' || isLocked(error.cause);
}
