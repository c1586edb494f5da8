import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { dynamoTarget, openDynamo, type TableSettings } from '../../src/dynamodb/dynamodb-server.ts';
import type { DynamoChaos } from '../../src/dynamodb/storage/dynamo-chaos.ts';
import type { CapacityMeter } from '../../src/dynamodb/storage/dynamodb-context.ts';
import { serveControl } from '../../src/testing/serve-control.ts';

/** A table with a composite key, sparse indexes and a time-to-live attribute. */
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

/** The same table with a stream. */
export const streamedTable: TableSettings = {
  ...thingsTable,
  stream: {
    arn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/things/stream/2026-01-01T00:00:00.000',
    viewType: 'NEW_AND_OLD_IMAGES',
  },
};

export async function temporaryFolder() {
  return mkdtemp(join(tmpdir(), 'dynamo-'));
}

type Settings = {
  folder?: string;
  tables?: TableSettings[];
  now?: () => number;
  chaos?: DynamoChaos;
  report?: (line: string) => void;
  meter?: CapacityMeter;
};

/** Opens the embedded DynamoDB behind a socket, in a new folder unless one is given. */
export async function startDynamo({ folder, tables = [thingsTable], ...more }: Settings = {}) {
  const dataFolder = folder ?? (await temporaryFolder());
  const dynamo = await openDynamo({ folder: dataFolder, tables, region: 'eu-west-1', ...more });
  const served = await serveControl({ region: 'eu-west-1', targets: new Map([[dynamoTarget, dynamo.service]]) });
  const client = new DynamoDBClient(served.client);
  return {
    endpoint: served.endpoint,
    folder: dataFolder,
    stream: dynamo.stream,
    client,
    documents: DynamoDBDocument.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    async stop({ keepFolder = false } = {}) {
      client.destroy();
      await served.stop();
      await dynamo.close();
      if (!keepFolder) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

export type RunningDynamo = Awaited<ReturnType<typeof startDynamo>>;
