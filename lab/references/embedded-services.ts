import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPrincipal,
  createPrincipalLookup,
  credentials,
  openDynamo,
  openS3,
  serveControl,
} from 'embedded-aws/testing';
import { TableName, table } from './dynamodb-requests.ts';
import { bucketNames } from './s3-service.ts';

export const region = 'eu-west-1';
type Running = { endpoint: string; stop(): Promise<void> };

/** The embedded DynamoDB with the table of the requests. */
export async function startDynamodb(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'references-'));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = table;
  const settings = {
    name: TableName,
    keySchema: KeySchema,
    attributeDefinitions: AttributeDefinitions,
    globalSecondaryIndexes: GlobalSecondaryIndexes,
  };
  const dynamo = await openDynamo({ folder, region, tables: [settings] });
  const served = await serveControl({ region, targets: new Map([[dynamo.target, dynamo.service]]) });
  return {
    endpoint: served.endpoint,
    async stop() {
      await served.stop();
      await dynamo.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The embedded S3 with the buckets of the requests. */
export async function startS3(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'references-'));
  const findPrincipal = createPrincipalLookup(createPrincipal(credentials));
  const buckets = bucketNames.map((name) => ({ name, cors: [], eventBridge: false }));
  const s3 = await openS3({ folder, region, findPrincipal, buckets, onObjectCreated: () => {} });
  const server = createServer((request, response) => void s3.handle(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await s3.close();
      await rm(folder, { recursive: true });
    },
  };
}
