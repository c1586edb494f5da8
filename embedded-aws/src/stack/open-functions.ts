import { join } from 'node:path';
import { systemClock } from '../durable/clock.ts';
import type { RequestHandler } from '../http/http-server.ts';
import { openAsyncInvocations } from '../lambda/async-invocations.ts';
import { type EventSourcesOptions, openEventSources } from '../lambda/event-sources/event-sources.ts';
import { handleMappingCall } from '../lambda/event-sources/mapping-service.ts';
import { failureLine } from '../lambda/failure-line.ts';
import { handleServiceCall } from '../lambda/handle-service-call.ts';
import { invokeService } from '../lambda/invoke-service.ts';
import type { Invocation } from '../lambda/lambda-instance.ts';
import { type InstanceCredentials, openLambda } from '../lambda/lambda-server.ts';
import { metricProblem } from '../logs/metric-line.ts';
import type { Sqs } from '../sqs/sqs.ts';
import { readAsyncSettings } from '../template/read-async-settings.ts';
import { readEventSourceMappings } from '../template/read-event-source-mappings.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { region } from '../template/resource-identity.ts';
import { clientEnvironment, managedNodeEnvironment } from './client-environment.ts';
import type { StackContext } from './stack-context.ts';
import type { StackPrincipals } from './stack-principals.ts';

/**
 * An invocation starts with credentials that are valid for its longest duration, 15 minutes, and for an hour after it:
 * the lifetime of a presigned URL.
 */
const minSessionLeftMs = 90 * 60 * 1000;

type FindStream = EventSourcesOptions['stream'];

/** `control` answers the requests of functions. It may be opened after the first functions have started. */
export async function openFunctions(
  stack: StackContext,
  principals: StackPrincipals,
  { sqs, control, stream }: { sqs: Sqs; control: Promise<RequestHandler>; stream: FindStream },
) {
  const { options, functions, location, shutdown } = stack;
  const { templateFolder, storeUrl, controlUrl, functionEnvironment, writeLine } = options;
  const roles = new Map(functions.map((definition) => [definition.name, principals.ofFunction(definition)]));
  const credentialsOf = ({ name, managedNodeRoleName }: FunctionDefinition): InstanceCredentials => {
    const session = roles.get(name)!.issue();
    return {
      environment: {
        ...clientEnvironment({ region, storeUrl, controlUrl }, session),
        ...(managedNodeRoleName && managedNodeEnvironment(principals.ofManagedNodes(managedNodeRoleName))),
      },
      retireAtMs: session.expiresAtMs - minSessionLeftMs,
    };
  };
  /** The name without the stack's name at its start. */
  const shortName = (nameOrArn: string): string =>
    nameOrArn
      .split(':')
      .at(-1)!
      .slice(location.stackName.length + 1);

  const named = (name: string): string => `${location.stackName}-${name}`;
  const preparedWith = Object.fromEntries(
    Object.entries(options.preparedWith ?? {}).map(([name, next]) => [named(name), next.map(named)]),
  );
  const lambda = openLambda({
    functions,
    preparedWith,
    credentialsOf,
    overrides: functionEnvironment,
    applicationLogLevel: options.applicationLogLevel,
    maxConcurrency: options.chaos?.account?.concurrentExecutions,
    meter: options.meter,
    cacheFolder: templateFolder,
    log(name, line) {
      writeLine(shortName(name), line);
      const problem = metricProblem(line);
      if (problem) stack.logError('cloudwatch', `The metrics of a line of ${shortName(name)} are ignored: ${problem}`);
    },
    services: {
      endpoint: controlUrl,
      call: (call) => handleServiceCall(control, call, stack.reportTo('control')),
    },
  });
  shutdown.onClose(lambda.close);
  const logFailure = (name: string, invocation: Invocation): void =>
    stack.logError(shortName(name), failureLine(invocation));
  const asynchronous = await openAsyncInvocations({
    path: join(options.dataFolder, 'asynchronous-invocations.journal'),
    clock: systemClock(),
    functions,
    settingsOf: readAsyncSettings(stack.template),
    invoke: lambda.invoke,
    sendRecord: (queueArn, definition, record) =>
      sqs.send(queueArn, { principal: roles.get(definition.name)! }, record),
    onFailure: logFailure,
    report: stack.reportTo('lambda'),
  });
  // Before the functions are stopped: an invocation that the shutdown ends is repeated after a restart.
  shutdown.onClose(asynchronous.close);

  const eventSources = await openEventSources({
    path: join(options.dataFolder, 'event-source-checkpoints.journal'),
    clock: systemClock(),
    mappings: readEventSourceMappings(stack.template),
    functions,
    stream,
    roleOf: (name) => roles.get(name)!,
    async invoke(name, event) {
      const invocation = await lambda.invoke(name, event);
      if (invocation.functionError) logFailure(name, invocation);
      return invocation;
    },
    sendRecord: (queueArn, name, record) => sqs.send(queueArn, { principal: roles.get(name)! }, record),
    report: stack.reportTo('lambda'),
    chaos: options.chaos?.lambda?.eventSources,
  });
  shutdown.onClose(eventSources.close);

  return {
    lambda,
    startEventSources: eventSources.start,
    service: invokeService({
      functions,
      invoke: lambda.invoke,
      enqueue: asynchronous.enqueue,
      handleMappings: (request, response, body, caller) =>
        handleMappingCall(request, body, response, { caller, functions, eventSources }),
      ...(options.chaos?.account && { limits: options.chaos.account }),
    }),
    /** Resolves when an asynchronous invocation is on the disk. */
    enqueue: asynchronous.enqueue,
    /** Invokes a function for a caller that does not see a failure: the failure is logged. */
    async invokeAndLog(nameOrArn: string, event: unknown): Promise<Invocation> {
      const invocation = await lambda.invoke(nameOrArn, event);
      if (invocation.functionError) logFailure(nameOrArn, invocation);
      return invocation;
    },
  };
}
