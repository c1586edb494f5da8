import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { openDynamo, type TableSettings } from '../../../../infra/local/dynamodb/server.ts';

/** One table in the shape of the service's own: a composite key, sparse indexes and an expiry attribute. */
export const thingsTable: TableSettings = {
  name: 'things',
  keySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  attributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'owner', AttributeType: 'S' },
    { AttributeName: 'rank', AttributeType: 'N' },
  ],
  globalSecondaryIndexes: [
    {
      IndexName: 'by-owner',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'by-rank',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  timeToLiveAttribute: 'expiresAt',
};

export async function temporaryFolder() {
  return mkdtemp(join(tmpdir(), 'dynamo-'));
}

type Settings = { folder?: string; tables?: TableSettings[]; now?: () => number };

/** Opens the embedded DynamoDB in a folder of its own (or the one given) behind a real socket. */
export async function startDynamo({ folder, tables = [thingsTable], now }: Settings = {}) {
  const dataFolder = folder ?? (await temporaryFolder());
  const dynamo = await openDynamo({ folder: dataFolder, tables, region: 'eu-west-1', ...(now && { now }) });
  const server = createServer(async (request, response) => dynamo.handle(request, response, await buffer(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
  return {
    endpoint,
    folder: dataFolder,
    client,
    documents: DynamoDBDocument.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    async stop({ keepFolder = false } = {}) {
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await dynamo.close();
      if (!keepFolder) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

export type RunningDynamo = Awaited<ReturnType<typeof startDynamo>>;
