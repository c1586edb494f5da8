import type { RequestHandler } from '../http/http-server.ts';
import { answerServiceCall } from '../lambda/answer-service-call.ts';
import { failureLine } from '../lambda/failure-line.ts';
import type { Invocation } from '../lambda/lambda-instance.ts';
import { openLambda } from '../lambda/lambda-server.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { clientEnvironment, managedNodeEnvironment } from './client-environment.ts';
import { region, type StackContext } from './stack-context.ts';
import type { StackPrincipals } from './stack-principals.ts';

/** @param control answers the requests of functions; it may be opened after the first functions have started */
export function openFunctions(stack: StackContext, principals: StackPrincipals, control: Promise<RequestHandler>) {
  const { options, functions, place, shutdown } = stack;
  const { templateFolder, storeUrl, controlUrl, functionEnvironment, writeLine } = options;
  const environmentOf = (definition: FunctionDefinition): Record<string, string> => {
    const { managedNodeRoleName } = definition;
    return {
      ...clientEnvironment({ region, storeUrl, controlUrl }, principals.ofFunction(definition)),
      ...(managedNodeRoleName && managedNodeEnvironment(principals.ofSession('nodes', managedNodeRoleName))),
    };
  };
  /** The name without the stack's name at its start. */
  const shortName = (nameOrArn: string): string =>
    nameOrArn
      .split(':')
      .at(-1)!
      .slice(place.stackName.length + 1);

  const lambda = openLambda({
    functions,
    environmentOf,
    overrides: functionEnvironment,
    cacheFolder: templateFolder,
    log: (name, line) => writeLine(shortName(name), line),
    services: {
      endpoint: controlUrl,
      call: (call) => answerServiceCall(control, call, stack.reportTo('control')),
    },
  });
  shutdown.onClose(lambda.close);

  return {
    lambda,
    /** Invokes a function for a caller that does not see a failure: the failure is logged. */
    async invokeAndLog(nameOrArn: string, event: unknown): Promise<Invocation> {
      const invocation = await lambda.invoke(nameOrArn, event);
      if (invocation.functionError) stack.logError(shortName(nameOrArn), failureLine(invocation));
      return invocation;
    },
  };
}
