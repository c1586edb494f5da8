import type { ControlService } from '../control/control-service.ts';
import { ServiceError } from '../control/json-protocol.ts';
import { type QueryContent, queryService } from '../control/query-service.ts';
import { authorize } from '../iam/authorize.ts';

export type StackDescription = {
  name: string;
  id: string;
  /** By default, it is created. */
  status?: string;
  createdAt: string;
  outputs: Record<string, string>;
  terminationProtection: boolean;
  /** The resources, by logical id. */
  resources: Record<string, { type: string; physicalId: string }>;
};

/**
 * The embedded CloudFormation, which describes the one stack. Its outputs are how an operator finds the other
 * resources. It cannot delete the stack: its resources are the data folder of the running service.
 */
export function cloudFormationService(stack: StackDescription): ControlService {
  const { name, id } = stack;
  const operation =
    (action: string, respond: () => QueryContent) =>
    (input: URLSearchParams, caller: Parameters<typeof authorize>[0]): QueryContent => {
      authorize(caller, `cloudformation:${action}`, id);
      const asked = input.get('StackName');
      if (asked === null || asked === name || asked === id) return respond();
      throw new ServiceError('ValidationError', `Stack with id ${asked} does not exist`);
    };
  return queryService({
    signingName: 'cloudformation',
    namespace: 'http://cloudformation.amazonaws.com/doc/2010-05-15/',
    operations: {
      DescribeStacks: operation('DescribeStacks', () => ({ Stacks: { member: describe(stack) } })),
      ListStackResources: operation('ListStackResources', () => ({
        StackResourceSummaries: { member: listResources(stack) },
      })),
      DeleteStack: operation('DeleteStack', () => {
        throw new ServiceError('ValidationError', whyNotDeleted(stack));
      }),
    },
  });
}

const describe = ({
  name,
  id,
  status = 'CREATE_COMPLETE',
  createdAt,
  outputs,
  terminationProtection,
}: StackDescription): QueryContent => ({
  StackName: name,
  StackId: id,
  CreationTime: createdAt,
  StackStatus: status,
  EnableTerminationProtection: String(terminationProtection),
  Outputs: {
    member: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
  },
});

const listResources = ({ createdAt, resources }: StackDescription): QueryContent[] =>
  Object.entries(resources).map(([LogicalResourceId, { type, physicalId }]) => ({
    LogicalResourceId,
    ResourceType: type,
    PhysicalResourceId: physicalId,
    ResourceStatus: 'CREATE_COMPLETE',
    LastUpdatedTimestamp: createdAt,
  }));

const whyNotDeleted = ({ name, terminationProtection }: StackDescription): string =>
  terminationProtection
    ? `Stack [${name}] cannot be deleted while TerminationProtection is enabled`
    : 'On one machine, stop the service and remove its data folder.';
