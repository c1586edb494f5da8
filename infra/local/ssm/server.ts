import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, parseJsonObject, Refused, requireSignature } from '../dynamodb/json-protocol.ts';
import {
  type Call,
  deleteParameter,
  deleteParameters,
  getParameter,
  getParameters,
  getParametersByPath,
  putParameter,
} from './operations.ts';
import { openParameterStore } from './parameter-store.ts';

const operations: Record<string, (call: Call, input: unknown) => Promise<object>> = {
  DeleteParameter: deleteParameter,
  DeleteParameters: deleteParameters,
  GetParameter: getParameter,
  GetParameters: getParameters,
  GetParametersByPath: getParametersByPath,
  PutParameter: putParameter,
};

/**
 * Opens the embedded Parameter Store, kept in `file` with the key of its secrets beside it in `<file>.key`. `handle`
 * answers one request whose body has been read; `get` is a parameter's decrypted value.
 */
export async function openSsm({ file, now = () => new Date() }: { file: string; now?: () => Date }) {
  const store = await openParameterStore(file);
  return {
    handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
      return answerJson(response, 'application/x-amz-json-1.1', async () => {
        requireSignature(request.headers);
        const [api, name] = String(request.headers['x-amz-target']).split('.');
        const operation = api === 'AmazonSSM' && Object.hasOwn(operations, name!) && operations[name!];
        if (!operation) throw new Refused('UnknownOperationException', `${name} is not an operation here`);
        const region = request.headers.authorization?.match(/Credential=[^/]+\/\d+\/([^/]+)\//)?.[1] ?? 'us-east-1';
        return operation({ store, now, region }, parseJsonObject(body));
      });
    },
    get(name: string): string | undefined {
      const parameter = store.find(name);
      return parameter && store.reveal(name, parameter);
    },
    close: (): Promise<void> => store.close(),
  };
}
