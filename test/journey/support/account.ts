import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListMultipartUploadsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { paginateListExecutions, paginateListStateMachines, SFNClient } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { readOperator } from '../../fixtures/servers/read-operator.ts';

/** An item of the single table. */
export type Item = { pk: string; sk: string; kind: string } & Record<string, unknown>;
export type Job = Item & { status: string; attempt: number; result: { cpuSeconds: number } };

/** Names of the table, the bucket and the functions in the stage `local`. */
const name = 'video-service-local';
/** How long to retry while the service restarts. */
const maxAttempts = 12;

/** The embedded services of a data folder as an operator sees them, while the service runs. */
export async function openAccount(dataFolder: string) {
  const { region, controlUrl, storeUrl, credentials } = await readOperator(dataFolder);
  const options = { endpoint: controlUrl, region, credentials, maxAttempts };
  const lambda = new LambdaClient(options);
  const dynamo = new DynamoDBClient(options);
  const store = new S3Client({ ...options, endpoint: storeUrl });
  const states = new SFNClient(options);
  const parameters = new SSMClient(options);
  const table = DynamoDBDocumentClient.from(dynamo);

  /** Calls a function by its short name, such as `reap`, and resolves with its response. Throws when it fails. */
  async function invoke(shortName: string, payload: object = {}): Promise<unknown> {
    const { FunctionError, Payload } = await lambda.send(
      new InvokeCommand({ FunctionName: `${name}-${shortName}`, Payload: JSON.stringify(payload) }),
    );
    const answer = Buffer.from(Payload ?? []).toString();
    if (FunctionError) throw new Error(`${shortName} failed: ${answer}`);
    return answer === '' ? undefined : JSON.parse(answer);
  }

  /** All items, or those whose partition key has this prefix. */
  async function items(prefix = ''): Promise<Item[]> {
    const found: Item[] = [];
    for await (const { Items = [] } of paginateScan(
      { client: table },
      {
        TableName: name,
        ConsistentRead: true,
        ...(prefix !== '' && {
          FilterExpression: 'begins_with(pk, :prefix)',
          ExpressionAttributeValues: { ':prefix': prefix },
        }),
      },
    )) {
      found.push(...(Items as Item[]));
    }
    return found;
  }

  return {
    bucket: name,
    table,
    store,
    states,
    invoke,
    items,

    /** The value of one of the stage's parameters, by its short name. */
    async parameter(shortName: string): Promise<string> {
      const command = new GetParameterCommand({ Name: `/video-service/local/${shortName}`, WithDecryption: true });
      return (await parameters.send(command)).Parameter?.Value ?? '';
    },

    /** Invokes the functions of the minute schedule now. */
    checkNodes: () => invoke('check-nodes'),

    /** All jobs of a video. */
    jobsOf: async (videoUlid: string): Promise<Job[]> => (await items(`JOBS#${videoUlid}#`)) as Job[],

    async objectKeys(prefix = ''): Promise<string[]> {
      const keys: string[] = [];
      for await (const { Contents = [] } of paginateListObjectsV2(
        { client: store },
        { Bucket: name, Prefix: prefix },
      )) {
        keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
      }
      return keys;
    },

    /** Keys of multipart uploads that are neither completed nor aborted; the first thousand. */
    async openMultiparts(): Promise<string[]> {
      const { Uploads = [] } = await store.send(new ListMultipartUploadsCommand({ Bucket: name }));
      return Uploads.flatMap(({ Key }) => Key ?? []);
    },

    /** Names of the running executions. */
    async runningExecutions(): Promise<string[]> {
      const names: string[] = [];
      for await (const { stateMachines = [] } of paginateListStateMachines({ client: states }, {})) {
        for (const { stateMachineArn } of stateMachines) {
          const pages = paginateListExecutions({ client: states }, { stateMachineArn, statusFilter: 'RUNNING' });
          for await (const { executions = [] } of pages) names.push(...executions.flatMap(({ name }) => name ?? []));
        }
      }
      return names;
    },

    close(): void {
      for (const client of [lambda, dynamo, store, states, parameters]) client.destroy();
    },
  };
}

export type Account = Awaited<ReturnType<typeof openAccount>>;
