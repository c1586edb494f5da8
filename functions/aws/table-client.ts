import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import { Sha256 } from './sha256.ts';

/**
 * They build the log entry, the User-Agent and the trace header of a call, which nothing reads: an eighth of the
 * processor time of a call.
 */
const unusedMiddleware = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware'];

/**
 * One client per process. It has no endpoint in code: AWS_ENDPOINT_URL overrides it. Each service's client is in a
 * separate file, so that a function bundles only what it uses.
 */
export const documents = createDocuments();

function createDocuments(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ sha256: Sha256 });
  for (const name of unusedMiddleware) client.middlewareStack.remove(name);
  client.config.signer = keptSigner(client.config.signer);
  const created = DynamoDBDocumentClient.from(client, {
    // An object whose user has named a key `constructor` looks like an instance of a class.
    marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true },
  });
  copyConfig(created);
  return created;
}

/**
 * A client copies its configuration several times during a call. The configuration that it has made is a hash table of
 * V8, whose copy takes 6 µs and many objects. This copy of it is an ordinary object, whose copies take a hundredth.
 */
function copyConfig(client: DynamoDBDocumentClient): void {
  const config: typeof client.config = { ...client.config };
  Object.assign(client, { config });
  // Replaces the middleware of the same name, which has the first configuration.
  client.middlewareStack.use(getSchemaSerdePlugin(config));
}

type Signer = DynamoDBClient['config']['signer'];

/** Calls have the same region and service. The signer asks for the credentials of each signature. */
function keptSigner(create: Signer): Signer {
  let kept: ReturnType<Signer> | undefined;
  return (scheme) => {
    kept ??= create(scheme).catch((error) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
