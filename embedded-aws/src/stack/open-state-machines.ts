import { join } from 'node:path';
import { authorize } from '../iam/authorize.ts';
import type { Lambda } from '../lambda/lambda-server.ts';
import { throttleOperations } from '../step-functions/api/throttled-operations.ts';
import { openStepFunctions, type StepFunctions } from '../step-functions/step-functions.ts';
import { readStateMachines } from '../template/read-state-machines.ts';
import { accountId, region } from '../template/resource-identity.ts';
import { objectAccess } from './object-access.ts';
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
