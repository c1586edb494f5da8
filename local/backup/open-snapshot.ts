import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { hasItems, openItems, signedHeaders, verifyData } from 'embedded-aws';
import { responseOf } from '../../shared/response-of.ts';
import { CannotStart } from '../server/cannot-start.ts';
import { type OperatorAccess, readOperatorFile } from '../server/operator-file.ts';
import { backupSigningName, backupTarget } from '../snapshot/backup-service.ts';
import { cutFolderOf, takeCut } from '../snapshot/cut.ts';
import { readSnapshot, type Snapshot, SnapshotEnded } from '../snapshot/cut-stream.ts';

export type OpenSnapshot = Snapshot & {
  /** @throws SnapshotEnded when the service has stopped, and its files may have changed */
  requireOpen(): void;
  close(): Promise<void>;
};

/**
 * A consistent view of a data folder: from the service that runs on it, or, when none does, from the folder itself,
 * which is locked until `close`.
 * @throws CannotStart when the folder has no data, or the service does not answer
 */
export async function openSnapshot(dataFolder: string): Promise<OpenSnapshot> {
  if (!hasItems(dataFolder)) {
    throw new CannotStart(`${dataFolder} is no data folder of a service: set DATA_DIR to the folder to back up.`);
  }
  await verifyData(dataFolder);
  const items = await openItems(dataFolder);
  return items ? fromFolder(dataFolder, items) : fromService(dataFolder);
}

async function fromFolder(dataFolder: string, items: OpenItems): Promise<OpenSnapshot> {
  const removeCut = () => rm(cutFolderOf(dataFolder), { recursive: true, force: true });
  const close = async (): Promise<void> => {
    await removeCut();
    await items.close();
  };
  try {
    await removeCut();
    return { cut: takeCut(dataFolder), pauseMs: 0, entries: items.readEntries(), requireOpen: () => {}, close };
  } catch (error) {
    await close();
    throw error;
  }
}
type OpenItems = NonNullable<Awaited<ReturnType<typeof openItems>>>;

async function fromService(dataFolder: string): Promise<OpenSnapshot> {
  const operator = await readOperatorFile(dataFolder);
  if (!operator) {
    throw new CannotStart(
      `${dataFolder} is in use by a service that is starting or stopping, or by another command: try again.`,
    );
  }
  const response = await requestBackup(operator);
  if (response.statusCode !== 200) throw new CannotStart(await messageOf(response));
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY });
  let isOpen = true;
  response.once('close', () => {
    isOpen = false;
  });
  // Seen as the end of the lines.
  response.on('error', () => {});
  const iterator = lines[Symbol.asyncIterator]();
  return {
    ...(await readSnapshot(iterator)),
    requireOpen() {
      if (!isOpen) throw new SnapshotEnded();
    },
    close: async () => void response.destroy(),
  };
}

async function requestBackup({ controlUrl: url, region, credentials }: OperatorAccess): Promise<IncomingMessage> {
  const headers = signedHeaders({
    url,
    service: backupSigningName,
    region,
    credentials,
    headers: { 'x-amz-target': `${backupTarget}.CreateBackup` },
  });
  try {
    return await responseOf(request(url, { method: 'POST', headers }).end());
  } catch (error) {
    const { message } = error as Error;
    throw new CannotStart(`The service at ${url} does not answer (${message}): try again.`);
  }
}

async function messageOf(response: IncomingMessage): Promise<string> {
  const { message } = (await json(response).catch(() => ({}))) as { message?: string };
  return `The service refuses the backup (${response.statusCode}): ${message ?? 'its log says why.'}`;
}
