import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { CannotStart } from './cannot-start.ts';
import { keepControlPort, listenAsBefore } from './control-port.ts';
import { prepareDataFolder } from './data-folder.ts';
import {
  createHttpServer,
  type HttpLimits,
  largeTransfers,
  type RequestHandler,
  smallRequests,
  stopServer,
} from './http-server.ts';
import { listen } from './listen.ts';
import { type LogLevel, type WriteLine, writeToStderr } from './log.ts';
import { removeOperatorFile, writeOperatorFile } from './operator-file.ts';
import { openServices, region, type Services } from './services.ts';

export type CloudOptions = {
  /** Holds all state; one instance at a time. */
  dataFolder: string;
  /**
   * The API's. The object store has the next one, the proxy the one after that. 0: three that are free. The other AWS services have one that the
   * system chooses: only functions and the operator are given it.
   */
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
  storeUrl: string;
  controlUrl: string;
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
  const serve = (pick: (services: Services) => RequestHandler, limits: HttpLimits = smallRequests) =>
    createHttpServer(async (request, response) => pick(await ready.promise)(request, response), limits, writeLine);
  const servers = [serve(({ api }) => api), serve(({ store }) => store, largeTransfers), serve(({ proxy }) => proxy)];
  const controlServer = serve(({ control }) => control);
  let services: Services | undefined;
  const close = async (): Promise<void> => {
    // Without services the folder, and the file in it, may be those of another instance.
    if (services) removeOperatorFile(dataFolder);
    await services?.close();
  };
  const stopServing = async () => {
    await Promise.all([...servers, controlServer].map(stopServer));
  };

  try {
    const ports: number[] = [];
    for (const [index, server] of servers.entries()) ports.push(await listen(server, port && port + index));
    const urlOf = (one: number | undefined) => `http://127.0.0.1:${one}`;
    const [apiUrl, storeUrl, proxyUrl] = ports.map(urlOf) as [string, string, string];
    const controlPort = await listenAsBefore(controlServer, dataFolder);
    const controlUrl = urlOf(controlPort);
    services = await openServices({
      templateFolder,
      dataFolder,
      apiUrl,
      storeUrl,
      controlUrl,
      workers,
      logLevel,
      writeLine,
      environment: env,
      stopServing,
    });
    ready.resolve(services);
    await keepControlPort(dataFolder, controlPort);
    await writeOperatorFile(dataFolder, { region, controlUrl, storeUrl, credentials: services.operator });
    const proxy = { name: 'local', hostname: new URL(proxyUrl).host, scheme: 'http' } as const;
    const { adminCreated } = await services.setUp({ ...(admin && { admin }), proxy });
    services.startSchedules();
    return { apiUrl, storeUrl, controlUrl, proxyUrl, bucketName: services.bucketName, adminCreated, close };
  } catch (error) {
    ready.reject(error);
    await close();
    await stopServing();
    throw isLocked(error) ? inUse(dataFolder) : error;
  }
}

const inUse = (folder: string) =>
  new CannotStart(
    `The data folder ${folder} is in use by another instance: stop that one, or set DATA_DIR to another folder.`,
  );

function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'LEVEL_LOCKED' || isLocked(error.cause);
}
