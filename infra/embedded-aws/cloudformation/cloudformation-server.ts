import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ControlService } from '../control/control-service.ts';
import { writeElements, type XmlContent } from '../http/xml.ts';
import { authorize } from '../iam/authorize.ts';

const maxBodyBytes = 64 * 1024;
const namespace = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';

export type StackFacts = {
  name: string;
  id: string;
  createdAt: string;
  outputs: Record<string, string>;
  terminationProtection: boolean;
};

/**
 * The embedded CloudFormation, which describes the one stack. Its outputs are how an operator finds the other
 * resources. It cannot delete the stack: its resources are the data folder of the running service.
 */
export function cloudFormationService(facts: StackFacts): ControlService {
  const { name, id, createdAt, outputs, terminationProtection } = facts;
  const stack = {
    StackName: name,
    StackId: id,
    CreationTime: createdAt,
    StackStatus: 'CREATE_COMPLETE',
    EnableTerminationProtection: String(terminationProtection),
    Outputs: {
      member: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
    },
  };

  return {
    signingName: 'cloudformation',
    protocol: 'query',
    maxBodyBytes,
    async handle(_, response, body, caller) {
      const query = new URLSearchParams(body.toString());
      const action = query.get('Action');
      if (action !== 'DescribeStacks' && action !== 'DeleteStack') {
        return refuse(response, 'InvalidAction', `${action} is not supported.`);
      }
      authorize(caller, `cloudformation:${action}`, id);
      const asked = query.get('StackName');
      if (asked !== null && asked !== name && asked !== id) {
        return refuse(response, 'ValidationError', `Stack with id ${asked} does not exist`);
      }
      if (action === 'DeleteStack') return refuse(response, 'ValidationError', whyNotDeleted(facts));
      answer(response, 200, 'DescribeStacksResponse', { DescribeStacksResult: { Stacks: { member: stack } } });
    },
  };
}

const whyNotDeleted = ({ name, terminationProtection }: StackFacts): string =>
  terminationProtection
    ? `Stack [${name}] cannot be deleted while TerminationProtection is enabled`
    : 'On one machine, stop the service and remove its data folder.';

const refuse = (response: ServerResponse, Code: string, Message: string): void =>
  answer(response, 400, 'ErrorResponse', { Error: { Type: 'Sender', Code, Message } });

function answer(response: ServerResponse, status: number, root: string, content: { [name: string]: XmlContent }): void {
  const RequestId = randomUUID();
  const inside = writeElements({
    ...content,
    ...(status === 200 ? { ResponseMetadata: { RequestId } } : { RequestId }),
  });
  response.writeHead(status, { 'content-type': 'text/xml' }).end(`<${root} xmlns="${namespace}">${inside}</${root}>`);
}
