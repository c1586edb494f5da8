import type { Principal } from '../iam/principals.ts';
import type { Handle } from './control-service.ts';
import { parseJsonObject, respondJson, ServiceError } from './json-protocol.ts';

type Service<Operation> = {
  protocol: 'json-1.0' | 'json-1.1';
  /** precedes the name of the error for an unknown operation, where the service has namespaces */
  errorNamespace?: string;
  operations: Readonly<Record<string, Operation>>;
  /** checks the permissions of the caller, and performs the operation */
  perform: (
    operation: Operation,
    call: { name: string; input: Record<string, unknown>; caller: Principal },
  ) => object | Promise<object>;
};

/** Answers the operation that the header `x-amz-target` names, with the JSON object of the body as its input. */
export const operationHandler =
  <Operation>({ protocol, errorNamespace = '', operations, perform }: Service<Operation>): Handle =>
  (request, response, body, caller) =>
    respondJson(response, `application/x-amz-${protocol}`, async () => {
      const [, name = ''] = String(request.headers['x-amz-target']).split('.');
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (operation === undefined) {
        throw new ServiceError(`${errorNamespace}UnknownOperationException`, `${name} is not supported.`);
      }
      return perform(operation, { name, input: parseJsonObject(body), caller });
    });
