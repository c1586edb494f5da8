import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { authorize, type ControlService, type Entries } from 'embedded-aws';
import { cutFolderOf, takeCut } from './cut.ts';
import { snapshotLines } from './cut-stream.ts';

export const backupTarget = 'VideoServiceBackup';
export const backupSigningName = 'video-service-backup';

export type BackupServiceOptions = {
  dataFolder: string;
  /** Starts to read all entries of DynamoDB as they are now. */
  readEntries: () => Entries;
  /** Keeps the blobs of removed objects. */
  holdBlobs: () => { release(): void };
};

/**
 * Gives the operator a consistent view of everything that the service keeps. The response has no end: files of the view
 * stay there until the client closes the connection, or ends in any other way.
 */
export function backupService({ dataFolder, readEntries, holdBlobs }: BackupServiceOptions): ControlService {
  let isUnderWay = false;
  return {
    signingName: backupSigningName,
    protocol: 'json-1.0',
    maxBodyBytes: 1024,
    async handle(_request, response, _body, caller) {
      authorize(caller, `${backupSigningName}:CreateBackup`, '*');
      if (isUnderWay) {
        const message = 'Another backup of this service is under way: run the command again when it has ended.';
        response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
        return;
      }
      isUnderWay = true;
      const closed = new AbortController();
      response.once('close', () => closed.abort());
      const startMs = performance.now();
      const [blobs, entries] = [holdBlobs(), readEntries()];
      try {
        const cut = takeCut(dataFolder);
        const pauseMs = performance.now() - startMs;
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        const lines = snapshotLines({ cut, pauseMs, entries }, closed.signal);
        // A client that closes the connection has what it needs.
        await pipeline(lines, response).catch(() => {});
      } finally {
        blobs.release();
        await entries.close();
        await rm(cutFolderOf(dataFolder), { recursive: true, force: true });
        isUnderWay = false;
      }
    },
  };
}
