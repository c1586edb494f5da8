import type { Server } from 'node:http';
import { createHttpServer, smallRequests } from 'embedded-aws';
import {
  allowEverything,
  createControlServer,
  createPrincipal,
  createPrincipalLookup,
  type Policy,
} from 'embedded-aws/testing';
import { listen } from '../../../local/server/listen.ts';
import { writeOperatorFile } from '../../../local/server/operator-file.ts';
import { backupService, backupTarget } from '../../../local/snapshot/backup-service.ts';
import type { DataFolder } from './sample-data-folder.ts';

const region = 'local-1';
const credentials = { accessKeyId: 'operator', secretAccessKey: 'secret' };

/** The control port of a service that runs on a data folder. */
export async function serveBackups(data: DataFolder, policy: Policy = allowEverything): Promise<Server> {
  const service = backupService({
    dataFolder: data.path,
    readEntries: data.readEntries,
    holdBlobs: data.store.blobs.hold,
  });
  const control = createControlServer({
    region,
    find: createPrincipalLookup(createPrincipal(credentials, policy)),
    targets: new Map([[backupTarget, service]]),
  });
  const server = createHttpServer(control, smallRequests, () => {});
  const controlUrl = `http://127.0.0.1:${await listen(server, 0)}`;
  await writeOperatorFile(data.path, { region, controlUrl, storeUrl: controlUrl, credentials });
  return server;
}
