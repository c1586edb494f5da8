import { rename, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  createClientAddress,
  DamagedData,
  fullChaos,
  isLocked,
  type LogLevel,
  type Meter,
  newAccountChaos,
  region,
  verifyData,
  type WriteLine,
  writeToStderr,
} from 'embedded-aws';
import { CannotStart } from './cannot-start.ts';
import { keepControlPort } from './control-port.ts';
import { damagedMessage, prepareDataFolder } from './data-folder.ts';
import { createHttpEndpoints } from './http-endpoints.ts';
import { loopbackAddress } from './listen.ts';
import { type NewAdmin, openServices, type Services, type SetupResult } from './local-services.ts';
import { removeOperatorFile, writeOperatorFile } from './operator-file.ts';
import type { PublicUrls } from './public-address.ts';
import type { SpeechModel } from './speech-model.ts';

export type CloudOptions = {
  /** Contains all state. Only one instance may use it. */
  dataFolder: string;
  /**
   * The port of the distribution, which delivers API and files. The object store uses the next one. 0: two free ports.
   * The other AWS services use a port that the system chooses, which only functions and the operator need.
   */
  port: number;
  /** A cloud assembly of the stage `local`. */
  templateFolder: string;
  /** Encoder processes at the same time. The default is the number of cores, at most 4. */
  workers?: number;
  /** Seconds of estimated CPU time that a core does in a second. The default is 1. */
  coreSpeed?: number;
  /** Gets the token of separate workers. */
  workerTokenFile?: string;
  /** Where separate workers reach the object store. The default is the loopback address. */
  workerAddress?: string;
  /** With it, workers make captions from speech. */
  speech?: SpeechModel;
  logLevel?: LogLevel;
  /** The address that distribution and object store listen on. The default is reachable from this machine only. */
  listenAddress?: string;
  /** The addresses of the service at a reverse proxy. */
  publicUrls?: PublicUrls;
  /** Addresses and networks of reverse proxies. */
  trustedProxies?: string[];
  /** Addresses and networks that may connect to `listenAddress`. The default is the trusted proxies. */
  clients?: string[];
  writeLine?: WriteLine;
  /** Containers of registered proxies on this machine reach the service. */
  hasProxies?: boolean;
  /** Rare behaviours of AWS occur often, or the account has the quotas of a new one. */
  chaos?: 'off' | 'on' | 'new-account';
  /** Receives what AWS would bill. */
  meter?: Meter;
  /** Added to the environment of every function. */
  env?: Record<string, string>;
  /** Created unless the email address exists. */
  admin?: NewAdmin;
};

export type Cloud = SetupResult & {
  apiUrl: string;
  storeUrl: string;
  controlUrl: string;
  bucketName: string;
  /** Stops everything within five seconds. Unfinished work continues at the next start. */
  close(): Promise<void>;
};

/**
 * Runs the stack of a cloud assembly on this machine.
 * @throws CannotStart for problems that the user can solve: the data folder, a port, another instance
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const { port, templateFolder, logLevel = 'ERROR', writeLine = writeToStderr } = options;
  const { workers = Math.min(availableParallelism(), 4), coreSpeed = 1, env = {}, admin } = options;
  const {
    listenAddress = loopbackAddress,
    publicUrls,
    trustedProxies = [],
    clients = trustedProxies,
    chaos = 'off',
    hasProxies,
    workerTokenFile,
    workerAddress,
    speech,
    meter,
  } = options;
  const dataFolder = resolve(options.dataFolder);
  const socketFolder = hasProxies ? join(dataFolder, 'sockets') : undefined;
  await prepareDataFolder(dataFolder);
  await verifyData(dataFolder).catch((error) => fail(error, dataFolder));

  const ready = Promise.withResolvers<Services>();
  ready.promise.catch(() => {});
  const endpoints = createHttpEndpoints(ready.promise, {
    writeLine,
    trustedProxies,
    hasTls: publicUrls !== undefined,
  });
  let services: Services | undefined;
  const close = async (): Promise<void> => {
    // Without services the folder and its file may belong to another instance.
    if (services) removeOperatorFile(dataFolder);
    await services?.close();
  };

  try {
    const addresses = await endpoints.listen({ port, listenAddress, clients, dataFolder });
    const { apiUrl, storeUrl, controlUrl } = addresses;
    if (socketFolder) await endpoints.listenOnSockets(socketFolder);
    services = await openServices({
      templateFolder,
      dataFolder,
      apiUrl,
      storeUrl,
      controlUrl,
      workers,
      coreSpeed,
      logLevel,
      writeLine,
      meter,
      ...(speech && { speech }),
      ...(chaos !== 'off' && { chaos: chaos === 'on' ? fullChaos : newAccountChaos }),
      functionEnvironment: {
        ...env,
        ...(speech && { TRANSCRIPTION: 'on' }),
        ...(socketFolder && { SERVICE_SOCKETS: socketFolder }),
        ...(publicUrls && functionEnvironment(publicUrls)),
        ...(workerAddress !== undefined && {
          AWS_ENDPOINT_URL_S3_WORKERS: `http://${workerAddress}:${new URL(storeUrl).port}`,
        }),
      },
      clientAddress: createClientAddress(trustedProxies),
      stopServing: endpoints.stop,
    });
    ready.resolve(services);
    await keepControlPort(dataFolder, addresses.controlPort);
    await writeOperatorFile(dataFolder, { region, controlUrl, storeUrl, credentials: services.operator });
    const created = await services.setUp({ ...(admin && { admin }) });
    if (workerTokenFile !== undefined) await writeWorkerToken(workerTokenFile, services.workerToken());
    services.startTriggers();
    return { apiUrl, storeUrl, controlUrl, bucketName: services.bucketName, ...created, close };
  } catch (error) {
    ready.reject(error);
    await close();
    await endpoints.stop();
    return fail(error, dataFolder);
  }
}

/** Readable by the user of the service only, who is that of workers in the images. */
async function writeWorkerToken(file: string, token: string): Promise<void> {
  try {
    await writeFile(`${file}.new`, token, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(`WORKER_TOKEN_FILE is a file to write, and ${file} cannot be written (${code}).`);
  }
}

/** Functions send these addresses to clients and other servers. Requests of functions use the loopback address. */
const functionEnvironment = ({ apiUrl, storeUrl, allowedOrigins }: PublicUrls): Record<string, string> => ({
  API_URL: apiUrl,
  EDGE_URL: apiUrl,
  AWS_ENDPOINT_URL_S3_PUBLIC: storeUrl,
  ALLOWED_ORIGINS: allowedOrigins.join(','),
});

async function fail(error: unknown, dataFolder: string): Promise<never> {
  if (error instanceof DamagedData) throw await damagedMessage(error, dataFolder);
  throw isLocked(error) ? inUse(dataFolder) : error;
}

const inUse = (folder: string) =>
  new CannotStart(
    `The data folder ${folder} is in use by another instance: stop it, or set DATA_DIR to another folder.`,
  );
