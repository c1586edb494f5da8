import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { writeElements, type XmlContent } from '../http/xml.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { ControlService } from './control-service.ts';
import { ServiceError } from './json-protocol.ts';

const maxBodyBytes = 64 * 1024;

export type QueryContent = { [name: string]: XmlContent };

/** Returns the content of the result. @throws ServiceError */
export type QueryOperation = (input: URLSearchParams, caller: Principal) => QueryContent | Promise<QueryContent>;

type QueryServiceOptions = {
  signingName: string;
  namespace: string;
  operations: Readonly<Record<string, QueryOperation>>;
  /** EC2 has no element for the result, and another form of errors. */
  dialect?: 'ec2';
};

/** A service with the query protocol: the action is a field of a form, the answer is XML. */
export function queryService({ signingName, namespace, operations, dialect }: QueryServiceOptions): ControlService {
  const write = (response: ServerResponse, status: number, root: string, content: QueryContent): void => {
    const text = `<${root} xmlns="${namespace}">${writeElements(content)}</${root}>`;
    response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
  };
  const writeError = (response: ServerResponse, { statusCode, name: Code, message: Message }: ServiceError): void => {
    const RequestId = randomUUID();
    if (dialect === 'ec2') {
      write(response, statusCode, 'Response', { Errors: { Error: { Code, Message } }, RequestID: RequestId });
    } else write(response, statusCode, 'ErrorResponse', { Error: { Type: 'Sender', Code, Message }, RequestId });
  };
  return {
    signingName,
    protocol: 'query',
    maxBodyBytes,
    async handle(_, response, body, caller) {
      const input = new URLSearchParams(body.toString());
      const action = input.get('Action') ?? '';
      try {
        const operation = Object.hasOwn(operations, action) ? operations[action] : undefined;
        if (!operation) throw new ServiceError('InvalidAction', `${action} is not supported.`);
        const result = await operation(input, caller);
        const content = dialect === 'ec2' ? result : { [`${action}Result`]: result };
        const RequestId = randomUUID();
        const metadata = dialect === 'ec2' ? { requestId: RequestId } : { ResponseMetadata: { RequestId } };
        write(response, 200, `${action}Response`, { ...content, ...metadata });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        writeError(response, error);
      }
    },
  };
}

/** An operation that lists everything needs its permission for all resources. */
export const forAllResources =
  (action: string, operation: (input: URLSearchParams) => QueryContent): QueryOperation =>
  (input, caller) => {
    authorize(caller, action, '*');
    return operation(input);
  };
