// A server for tests that kill it: node serve.ts FOLDER

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openS3 } from '../../../src/s3/s3-server.ts';
import { createPrincipal, createPrincipalLookup } from '../../../src/testing/create-principal.ts';

const s3 = await openS3({
  folder: process.argv[2]!,
  region: 'eu-west-2',
  findPrincipal: createPrincipalLookup(
    createPrincipal({ accessKeyId: 'AKIDLOCALTEST', secretAccessKey: 'secret/with+odd=characters' }),
  ),
  buckets: [{ name: 'media', cors: [], eventBridge: true }],
  onObjectCreated: (event) => {
    process.send!({ event });
    if (event.key === 'refused') throw new Error('refused');
  },
});
const server = createServer((request, response) => void s3.handle(request, response));
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
