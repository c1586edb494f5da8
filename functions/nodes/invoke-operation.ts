import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { invokeInBackground } from '../aws/background-functions.ts';
import { BadGateway } from '../common/errors.ts';
import { containersResult, type ListedContainer, type Operation } from './operation-schema.ts';

const client = new LambdaClient({});

/** Starts the pending operation of a node in the background. Idempotent: the second of two invocations does nothing. */
export async function invokeNodeOperation({ ulid, work }: { ulid: string; work: { id: string } }): Promise<void> {
  const operation: Operation = { operation: 'work', node: ulid, work: work.id };
  await invokeInBackground(readEnvironment('OPERATE_FUNCTION'), operation);
}

/**
 * Lists the containers on a node's server.
 * @throws BadGateway when the server cannot be reached
 */
export async function listNodeContainers(ulid: string): Promise<ListedContainer[]> {
  const operation: Operation = { operation: 'containers', node: ulid };
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: readEnvironment('OPERATE_FUNCTION'), Payload: JSON.stringify(operation) }),
  );
  if (FunctionError !== undefined || Payload === undefined) throw new BadGateway();
  const result = containersResult.parse(JSON.parse(Buffer.from(Payload).toString()));
  if ('unreachable' in result) throw new BadGateway(result.unreachable);
  return result.containers;
}
