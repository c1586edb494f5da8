import { createClientAddress } from '../http/client-address.ts';
import {
  createHttpServer,
  type HttpLimits,
  largeTransfers,
  listenOnLoopback,
  type RequestHandler,
  smallRequests,
  stopServer,
} from '../http/http-server.ts';
import { writeToStderr } from '../http/log.ts';
import { region } from '../template/resource-identity.ts';
import { clientEnvironment } from './client-environment.ts';
import { openStack, type Stack } from './embedded-stack.ts';
import type { StackOptions } from './stack-context.ts';

/** `templateFolder` is a cloud assembly, `dataFolder` keeps all state. Only one process may use it. */
export type RunOptions = Pick<StackOptions, 'templateFolder' | 'dataFolder'> &
  Partial<Pick<StackOptions, 'maxTasks' | 'logLevel' | 'writeLine' | 'functionEnvironment' | 'chaos' | 'meter'>> & {
    /** Of the distribution or, without one, of the API. By default the system chooses it. */
    port?: number;
  };

/**
 * Opens the stack of a template and serves it to programs on this machine. `openStack` is for those that serve it
 * themselves.
 */
export async function runStack({ port, writeLine = writeToStderr, ...options }: RunOptions) {
  // The services need the addresses of their servers, so these listen first. Requests wait for the services.
  const opened = Promise.withResolvers<Stack>();
  opened.promise.catch(() => {});
  const serve = (pick: (stack: Stack) => RequestHandler, limits: HttpLimits = smallRequests) =>
    createHttpServer(async (request, response) => pick(await opened.promise)(request, response), limits, writeLine);
  const api = serve(({ distribution, httpApi }) => distribution ?? httpApi);
  const store = serve((stack) => stack.store, largeTransfers);
  const control = serve((stack) => stack.control);
  const stopServing = async (): Promise<void> => void (await Promise.all([api, store, control].map(stopServer)));
  const addressOf = async (...server: Parameters<typeof listenOnLoopback>) =>
    `http://127.0.0.1:${await listenOnLoopback(...server)}`;
  try {
    const apiUrl = await addressOf(api, port);
    const [storeUrl, controlUrl] = [await addressOf(store), await addressOf(control)];
    const stack = await openStack({
      maxTasks: 1,
      logLevel: 'ERROR',
      functionEnvironment: {},
      taskEnvironment: () => ({}),
      ...options,
      writeLine,
      apiUrl,
      storeUrl,
      controlUrl,
      stopServing,
      clientAddress: createClientAddress([]),
    });
    opened.resolve(stack);
    stack.startTriggers();
    return {
      apiUrl,
      outputs: stack.outputs,
      /** Invokes a function by its name. */
      invoke: stack.invoke,
      /** Variables with which AWS clients and the AWS CLI use the stack as an operator who may do everything. */
      environment: clientEnvironment({ region, storeUrl, controlUrl }, stack.operator),
      /** Stops everything. Unfinished work continues when the data folder is used again. */
      close: stack.close,
    };
  } catch (error) {
    opened.reject(error);
    await stopServing();
    throw error;
  }
}
