import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from './sha256.ts';

/**
 * One client per process. It has no endpoint in code: AWS_ENDPOINT_URL overrides it. Each service's client is in a
 * separate file, so that a function bundles only what it uses.
 */
export const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ sha256: Sha256 }), {
  marshallOptions: { removeUndefinedValues: true },
});
