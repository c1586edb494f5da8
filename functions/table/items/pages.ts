import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { readEnvironment } from '../../../shared/environment.ts';
import { documents } from '../../aws/table-client.ts';

export type Query = Omit<QueryCommandInput, 'TableName'>;

/** The responses of a query, one page after the other, for as long as they are asked for. */
export async function* queryPages(query: Query): AsyncGenerator<QueryCommandOutput> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({
        ...query,
        TableName: readEnvironment('TABLE_NAME'),
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    yield page;
    start = page.LastEvaluatedKey;
  } while (start);
}
