import type { ControlService } from '../control/control-service.ts';
import { parseJsonObject, respondJson, ServiceError } from '../control/json-protocol.ts';
import { authorizeCall, type OperationName } from './parameter-access.ts';
import type { Parameter } from './parameter-file.ts';
import {
  type Call,
  deleteParameter,
  deleteParameters,
  getParameter,
  getParameters,
  getParametersByPath,
  putParameter,
} from './parameter-operations.ts';
import { openParameterStore } from './parameter-store.ts';

export const ssmTarget = 'AmazonSSM';
const maxBodyBytes = 256 * 1024;

const operations: Record<OperationName, (call: Call, input: unknown) => Promise<object>> = {
  DeleteParameter: deleteParameter,
  DeleteParameters: deleteParameters,
  GetParameter: getParameter,
  GetParameters: getParameters,
  GetParametersByPath: getParametersByPath,
  PutParameter: putParameter,
};

const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

export type SsmOptions = {
  file: string;
  region: string;
  now?: () => Date;
  /** Parameters that others than the service have created, such as the version of the CDK's bootstrap stack. */
  given?: ReadonlyMap<string, Parameter>;
};

/**
 * Opens the embedded Parameter Store in `file`. The encryption key is in `<file>.key`. `get` returns a decrypted value.
 */
export async function openSsm({ file, region, now = () => new Date(), given = new Map() }: SsmOptions) {
  const stored = await openParameterStore(file);
  const store = { ...stored, find: (name: string) => stored.find(name) ?? given.get(name) };
  const service: ControlService = {
    signingName: 'ssm',
    protocol: 'json-1.1',
    maxBodyBytes,
    handle: (request, response, body, caller) =>
      respondJson(response, 'application/x-amz-json-1.1', async () => {
        const [, name = ''] = String(request.headers['x-amz-target']).split('.');
        if (!isOperation(name)) throw new ServiceError('UnknownOperationException', `${name} is not supported.`);
        const input = parseJsonObject(body);
        authorizeCall(caller, name, input, region);
        return operations[name]({ store, now, region, caller }, input);
      }),
  };
  return {
    service,
    get(name: string): string | undefined {
      const parameter = store.find(name);
      return parameter && store.reveal(name, parameter);
    },
    close: (): Promise<void> => store.close(),
  };
}
