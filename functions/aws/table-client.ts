import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Clients are made once per process and know no endpoint: AWS_ENDPOINT_URL moves them. The other services' clients stand in files of their own,
 * so that a function bundles only what it uses.
 */
export const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
});
