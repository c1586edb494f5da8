import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { authorize } from '../iam/authorize.ts';
import type { Lambda } from '../lambda/lambda-server.ts';
import { throttleOperations } from '../step-functions/api/throttled-operations.ts';
import { openStepFunctions, type StepFunctions } from '../step-functions/step-functions.ts';
import { readStateMachines } from '../template/read-state-machines.ts';
import { accountId, region } from '../template/resource-identity.ts';
import type { StackContext } from './stack-context.ts';
import type { StackPrincipals } from './stack-principals.ts';

type Enqueue = (nameOrArn: string, event: unknown) => Promise<void>;

/** Executions that were running when the process ended continue at once. */
export async function openStateMachines(
  stack: StackContext,
  principals: StackPrincipals,
  { lambda, enqueue, wakeTasks }: { lambda: Lambda; enqueue: Enqueue; wakeTasks: () => void },
): Promise<StepFunctions> {
  const { options, template, functions, shutdown } = stack;
  const stateMachines = readStateMachines(template);
  const clients = new Map(
    stateMachines.map((machine) => {
      const principal = principals.ofStateMachine(machine);
      return [machine.arn, { principal, ...objectAccess(stack.s3Client(principal)) }];
    }),
  );
  // The child executions of a distributed map belong to `<state machine>/<label>`.
  const clientOf = (stateMachineArn: string) => clients.get(stateMachineArn.split('/')[0]!)!;
  const wakingArns = new Set(functions.filter(({ wakesTasks }) => wakesTasks).map(({ arn }) => arn));

  const states = await openStepFunctions({
    folder: join(options.dataFolder, 'executions'),
    region,
    accountId,
    stateMachines,
    async invokeLambda(nameOrArn, payload, stateMachineArn) {
      const functionArn = lambda.arnOf(nameOrArn);
      authorize(clientOf(stateMachineArn).principal, 'lambda:InvokeFunction', functionArn);
      const invocation = await lambda.invoke(nameOrArn, payload);
      if (wakingArns.has(functionArn)) wakeTasks();
      return invocation;
    },
    async enqueueLambda(nameOrArn, payload, stateMachineArn) {
      authorize(clientOf(stateMachineArn).principal, 'lambda:InvokeFunction', lambda.arnOf(nameOrArn));
      await enqueue(nameOrArn, payload);
    },
    authorizeMapRun: (arn) => authorize(clientOf(arn).principal, 'states:StartExecution', arn.split('/')[0]!),
    readObject: async (bucket, key, arn) => clientOf(arn).readObject(bucket, key),
    writeObject: async (bucket, key, body, arn) => clientOf(arn).writeObject(bucket, key, body),
    listObjects: async (bucket, prefix, arn) => clientOf(arn).listObjects(bucket, prefix),
    meter: options.meter,
    onError: stack.reportTo('states'),
  });
  shutdown.onClose(states.close);
  const chaos = options.chaos?.states;
  return chaos ? { ...states, call: throttleOperations(states.call, chaos) } : states;
}

/** Access to objects for the item readers and result writers of a state machine. */
const objectAccess = (store: S3Client) => ({
  async readObject(bucket: string, key: string): Promise<Uint8Array> {
    const { Body } = await store.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return Body!.transformToByteArray();
  },

  async writeObject(bucket: string, key: string, body: string): Promise<void> {
    await store.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  },

  async listObjects(bucket: string, prefix: string): Promise<{ Key: string; Size: number }[]> {
    const found: { Key: string; Size: number }[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: store },
      { Bucket: bucket, Prefix: prefix },
    )) {
      found.push(...Contents.map(({ Key, Size }) => ({ Key: Key!, Size: Size! })));
    }
    return found;
  },
});
