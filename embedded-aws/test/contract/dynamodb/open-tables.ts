import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { startDynamo, thingsTable } from '../../dynamodb/dynamo-server.ts';
import { clientConfig, isEmbedded, uniqueName } from '../target.ts';

/** Names of the tables that `openTables` creates. */
export const things = isEmbedded ? 'things' : uniqueName('things');
export const others = isEmbedded ? 'others' : uniqueName('others');

/** Two tables with a composite key and sparse indexes in the target. `close` removes them. */
export async function openTables(): Promise<{ documents: DynamoDBDocument; close(): Promise<void> }> {
  if (isEmbedded) {
    const tables = [things, others].map((name) => ({ ...thingsTable, name }));
    const { documents, stop } = await startDynamo({ tables });
    return { documents, close: stop };
  }
  const client = new DynamoDBClient(clientConfig);
  const { keySchema, attributeDefinitions, globalSecondaryIndexes } = thingsTable;
  const definition = {
    KeySchema: keySchema,
    AttributeDefinitions: attributeDefinitions,
    GlobalSecondaryIndexes: globalSecondaryIndexes,
  } as Pick<CreateTableCommandInput, 'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>;
  for (const TableName of [things, others]) {
    await client.send(new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...definition }));
    await waitUntilTableExists({ client, maxWaitTime: 120 }, { TableName });
  }
  return {
    documents: DynamoDBDocument.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    async close() {
      for (const TableName of [things, others]) await client.send(new DeleteTableCommand({ TableName }));
      client.destroy();
    },
  };
}

export type Documents = DynamoDBDocument;
