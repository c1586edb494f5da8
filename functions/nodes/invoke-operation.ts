import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { BadGateway } from '../common/errors.ts';
import { containersAnswer, type ListedContainer, type Operation } from './operation-schema.ts';

const client = new LambdaClient({});

/** Has the work of a node done, in the background. Asked twice it is done once. */
export async function invokeNodeOperation({ ulid, work }: { ulid: string; work: { id: string } }): Promise<void> {
  const order: Operation = { operation: 'work', node: ulid, work: work.id };
  await client.send(
    new InvokeCommand({
      FunctionName: readEnvironment('OPERATE_FUNCTION'),
      InvocationType: 'Event',
      Payload: JSON.stringify(order),
    }),
  );
}

/**
 * The containers on a node as its server tells them now.
 * @throws BadGateway when it cannot be reached
 */
export async function listNodeContainers(ulid: string): Promise<ListedContainer[]> {
  const order: Operation = { operation: 'containers', node: ulid };
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: readEnvironment('OPERATE_FUNCTION'), Payload: JSON.stringify(order) }),
  );
  if (FunctionError !== undefined || Payload === undefined) throw new BadGateway();
  const answer = containersAnswer.parse(JSON.parse(Buffer.from(Payload).toString()));
  if ('unreachable' in answer) throw new BadGateway(answer.unreachable);
  return answer.containers;
}
