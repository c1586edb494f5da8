import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { env } from '../../shared/env.ts';
import { BadGateway } from '../../shared/errors.ts';

/** What the function that opens connections to nodes is asked for. The others hold no key, and ask it. */
export const operationSchema = z.union([
  z.object({ operation: z.literal('work'), node: z.string(), work: z.string() }),
  z.object({ operation: z.literal('containers'), node: z.string() }),
]);
export type Operation = z.infer<typeof operationSchema>;

const client = new LambdaClient({});

/** Has the work of a node done, in the background. Asked twice it is done once. */
export async function orderWork({ ulid, work }: { ulid: string; work: { id: string } }): Promise<void> {
  const order: Operation = { operation: 'work', node: ulid, work: work.id };
  await client.send(
    new InvokeCommand({
      FunctionName: env('OPERATE_FUNCTION'),
      InvocationType: 'Event',
      Payload: JSON.stringify(order),
    }),
  );
}

const container = z.object({
  id: z.string(),
  name: z.string(),
  image: z.string(),
  state: z.enum(['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead']),
  status: z.string(),
  created_at: z.string(),
});

/** A failure that the caller is to be told crosses over as a value: an error of a function is its stack. */
export const containersAnswer = z.union([
  z.object({ containers: z.array(container) }),
  z.object({ unreachable: z.string() }),
]);

/**
 * The containers on a node as its server tells them now.
 * @throws BadGateway when it cannot be reached
 */
export async function askContainers(ulid: string): Promise<z.infer<typeof container>[]> {
  const order: Operation = { operation: 'containers', node: ulid };
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: env('OPERATE_FUNCTION'), Payload: JSON.stringify(order) }),
  );
  if (FunctionError !== undefined || Payload === undefined) throw new BadGateway();
  const answer = containersAnswer.parse(JSON.parse(Buffer.from(Payload).toString()));
  if ('unreachable' in answer) throw new BadGateway(answer.unreachable);
  return answer.containers;
}
