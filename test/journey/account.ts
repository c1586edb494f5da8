import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { readCredentials } from '../../infra/local/data-folder.ts';

export type Job = { attempt: number; result: { cpuSeconds: number } };

/** The embedded services behind an API as a program in the account sees them. */
export async function openAccount(apiUrl: string, dataFolder: string) {
  const options = {
    endpoint: `http://127.0.0.1:${Number(new URL(apiUrl).port) + 1}`,
    region: 'local-1',
    credentials: await readCredentials(dataFolder),
  };
  const lambda = new LambdaClient(options);
  const table = new DynamoDBClient(options);

  return {
    /** What the clock calls each minute, at once. */
    checkNodes: () => lambda.send(new InvokeCommand({ FunctionName: 'video-service-local-check-nodes' })),

    /** All jobs that a video was made by. */
    async jobsOf(videoUlid: string): Promise<Job[]> {
      const { Items = [] } = await DynamoDBDocumentClient.from(table).send(
        new ScanCommand({
          TableName: 'video-service-local',
          FilterExpression: 'begins_with(pk, :jobs)',
          ExpressionAttributeValues: { ':jobs': `JOBS#${videoUlid}#` },
        }),
      );
      return Items as Job[];
    },

    close(): void {
      lambda.destroy();
      table.destroy();
    },
  };
}

export type Account = Awaited<ReturnType<typeof openAccount>>;
