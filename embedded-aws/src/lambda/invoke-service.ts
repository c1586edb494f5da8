import type { ServerResponse } from 'node:http';
import { type AccountLimits, usualLimits } from '../account/account-limits.ts';
import type { ControlService, Handle } from '../control/control-service.ts';
import { authorize } from '../iam/authorize.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { FunctionNotFound, InvocationRefused } from './lambda-errors.ts';
import type { Invocation } from './lambda-instance.ts';
import { handleLambdaRead } from './read-service.ts';

/** The limit of Lambda on the payload of an invocation. */
const maxBodyBytes = 6 * 1024 * 1024;

type InvokeOptions = {
  functions: FunctionDefinition[];
  limits?: AccountLimits;
  /** Answers calls about event source mappings. False for any other request. */
  handleMappings?: (...call: Parameters<Handle>) => Promise<boolean>;
  invoke: (name: string, payload: unknown) => Promise<Invocation>;
  /** Resolves when an asynchronous invocation is accepted. */
  enqueue: (name: string, payload: unknown) => Promise<void>;
};

/** The Invoke operation, `POST /2015-03-31/functions/<name>/invocations`, and what operators read. */
export const invokeService = ({
  functions,
  limits = usualLimits,
  handleMappings,
  invoke,
  enqueue,
}: InvokeOptions): ControlService => ({
  signingName: 'lambda',
  protocol: 'rest-json',
  maxBodyBytes,
  async handle(request, response, body, caller) {
    const { method, url = '' } = request;
    if (handleLambdaRead({ method, path: url }, response, caller, { functions, limits })) return;
    if (await handleMappings?.(request, response, body, caller)) return;
    const nameOrArn = request.method === 'POST' && invokedFunction(request.url!);
    if (!nameOrArn) return writeError(response, 404, 'UnknownOperationException', 'Only Invoke is supported');
    const name = functionNameIn(nameOrArn);
    const definition = functions.find((one) => one.name === name);
    if (!definition) return writeRefusal(response, new FunctionNotFound(nameOrArn));
    authorize(caller, 'lambda:InvokeFunction', definition.arn);
    const payload = parsePayload(body);
    if (!payload) {
      return writeError(response, 400, 'InvalidRequestContentException', 'Could not parse request body into json');
    }
    try {
      if (request.headers['x-amz-invocation-type'] !== 'Event') {
        return writeResult(response, await invoke(name, payload.value));
      }
      await enqueue(name, payload.value);
      response.writeHead(202).end();
    } catch (error) {
      if (!(error instanceof InvocationRefused)) throw error;
      writeRefusal(response, error);
    }
  },
});

export const functionNameIn = (nameOrArn: string): string => /:function:([^:]+)/.exec(nameOrArn)?.[1] ?? nameOrArn;

/** The function that a path names. Undefined for any other path. */
function invokedFunction(url: string): string | undefined {
  const [, name = ''] = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(\?|$)/.exec(url) ?? [];
  try {
    return decodeURIComponent(name) || undefined;
  } catch {
    return undefined;
  }
}

function parsePayload(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: body.length === 0 ? {} : JSON.parse(body.toString()) };
  } catch {
    return undefined;
  }
}

function writeResult(response: ServerResponse, { payload, functionError }: Invocation): void {
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'x-amz-executed-version': '$LATEST',
      ...(functionError && { 'x-amz-function-error': functionError }),
    })
    .end(JSON.stringify(payload));
}

const writeRefusal = (response: ServerResponse, { name, statusCode, message }: InvocationRefused): void =>
  writeError(response, statusCode, name, message);

function writeError(response: ServerResponse, status: number, type: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
    .end(JSON.stringify({ Type: 'User', Message: message }));
}
