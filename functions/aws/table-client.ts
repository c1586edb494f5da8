import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from './sha256.ts';

/** Build the log entry and the User-Agent of a call, which nothing reads: a tenth of the processor time of a call. */
const unusedMiddleware = ['loggerMiddleware', 'getUserAgentMiddleware'];

/**
 * One client per process. It has no endpoint in code: AWS_ENDPOINT_URL overrides it. Each service's client is in a
 * separate file, so that a function bundles only what it uses.
 */
export const documents = createDocuments();

function createDocuments(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ sha256: Sha256 });
  for (const name of unusedMiddleware) client.middlewareStack.remove(name);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
