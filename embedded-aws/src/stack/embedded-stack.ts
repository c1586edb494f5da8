import { join } from 'node:path';
import { cloudFormationService } from '../cloudformation/cloudformation-server.ts';
import { createCustomResources } from '../cloudformation/custom-resources.ts';
import { keyValueStoreService } from '../cloudfront/key-value-store/key-value-store-server.ts';
import { createControlServer } from '../control/control-server.ts';
import type { ControlService } from '../control/control-service.ts';
import { dynamoTarget } from '../dynamodb/dynamodb-server.ts';
import { streamsTarget } from '../dynamodb/streams-service.ts';
import { ecsTarget } from '../ecs/ecs-server.ts';
import type { EventBus } from '../eventbridge/event-bus.ts';
import { eventsTarget } from '../eventbridge/eventbridge-operations.ts';
import type { RequestHandler } from '../http/http-server.ts';
import { apiControlService } from '../http-api/api-control-service.ts';
import { createHttpApi } from '../http-api/http-api-server.ts';
import { readMasterSecret } from '../iam/master-secret.ts';
import { logsTarget } from '../logs/logs-service.ts';
import { openSqs, type Sqs } from '../sqs/sqs.ts';
import { sqsQueryService, sqsService, sqsTarget } from '../sqs/sqs-service.ts';
import { ssmTarget } from '../ssm/ssm-server.ts';
import { stepFunctionsService, stepFunctionsTarget } from '../step-functions/step-functions-server.ts';
import { stackId } from '../template/deployed-template.ts';
import { readQueues } from '../template/read-queues.ts';
import { readRoutes } from '../template/read-routes.ts';
import { readThrottle, type StageThrottle } from '../template/read-throttle.ts';
import { accountId, region } from '../template/resource-identity.ts';
import { createStackAccount, openParameters } from './open-account.ts';
import { openBuckets } from './open-buckets.ts';
import { openDistribution, openKeyValueStores } from './open-distribution.ts';
import { openFunctions } from './open-functions.ts';
import { openRules } from './open-rules.ts';
import { openStateMachines } from './open-state-machines.ts';
import { openTables } from './open-tables.ts';
import { openTasks } from './open-tasks.ts';
import { createShutdown } from './shutdown.ts';
import { readStack, type StackContext, type StackOptions } from './stack-context.ts';
import { createStackPrincipals } from './stack-principals.ts';

/** Opens every service that the template of a cloud assembly uses, connected as AWS connects them. */
export async function openStack(options: StackOptions) {
  const shutdown = createShutdown();
  // Buckets publish to the event bus and functions call the services, both before these are open.
  const eventBus = deferred<EventBus>();
  const control = deferred<RequestHandler>();
  try {
    const stack = await readStack(options, shutdown);
    // The first service: the lock of its folder keeps out a second instance.
    const dynamo = await openTables(stack);
    const principals = createStackPrincipals(stack.template, await readMasterSecret(options.dataFolder), accountId);
    const ssm = await openParameters(stack);
    const s3 = await openBuckets(stack, {
      findPrincipal: principals.find,
      onObjectCreated: async (event) => (await eventBus.promise).objectCreated(event),
    });
    const stores = await openKeyValueStores(stack);
    const sqs = await openQueues(stack);
    const { lambda, enqueue, invokeAndLog, service, startEventSources } = await openFunctions(stack, principals, {
      sqs,
      control: control.promise,
      stream: dynamo.stream,
    });
    // Executions continue before tasks can be started.
    let wakeTasks = (): void => {};
    const states = await openStateMachines(stack, principals, { lambda, enqueue, wakeTasks: () => wakeTasks() });
    const { bus, service: events } = await openRules(stack, principals, { states, enqueue, sqs });
    eventBus.resolve(bus);
    // The last service, so that it is closed first: stopping tasks still call the API.
    const ecs = await openTasks(stack, ssm.get);
    wakeTasks = ecs.wakeTasks;
    const outputs = stack.template.outputs();
    const account = createStackAccount(stack);
    const targets = new Map([
      [dynamoTarget, dynamo.service],
      [streamsTarget, dynamo.streamsService],
      [ssmTarget, ssm.service],
      [stepFunctionsTarget, stepFunctionsService(states)],
      [eventsTarget, events],
      [ecsTarget, ecs.service],
      [sqsTarget, sqsService(sqs)],
      [logsTarget, account.logs],
      ...account.services.targets,
    ]);
    const throttle = readThrottle(stack.template);
    const controlServer = createControlServer({
      region,
      find: principals.find,
      targets,
      forms: new Map([
        ['cloudformation', cloudFormationService(describeStack(stack, outputs))],
        ['sqs', sqsQueryService(sqs)],
        ...account.services.forms,
      ]),
      lambda: service,
      keyValueStores: keyValueStoreService(stores, options.meter),
      apis: apiControl(stack, throttle),
    });
    control.resolve(controlServer);
    await createCustomResources({
      template: stack.template,
      file: join(options.dataFolder, 'custom-resources.json'),
      stackId: stackId(stack.location),
      invoke: lambda.invoke,
    });
    const { clientAddress, meter, errorBody } = options;
    const httpApi = createHttpApi({
      routes: readRoutes(stack.template),
      throttle,
      accountId,
      invoke: invokeAndLog,
      clientAddress,
      meter,
      errorBody,
    });
    return {
      outputs,
      functions: stack.functions,
      httpApi,
      /** Delivers files and the API to viewers. Undefined for a template without a distribution. */
      distribution: await openDistribution(stack, { principals, stores, s3, httpApi }),
      store: s3.handle,
      control: controlServer,
      operator: principals.operator.credentials,
      invoke: lambda.invoke,
      /** The decrypted value of a parameter; undefined when there is none of this name. */
      parameter: ssm.get,
      /** Starts what invokes functions by itself: schedules and event sources. */
      startTriggers(): void {
        startEventSources();
        bus.startSchedules();
      },
      /** Adds a service that is not one of AWS. Its requests are signed and authorized like all others. */
      addService: (target: string, service: ControlService): void => void targets.set(target, service),
      readEntries: dynamo.readEntries,
      holdBlobs: s3.holdBlobs,
      reportTo: stack.reportTo,
      onClose: shutdown.onClose,
      close: shutdown.close,
    };
  } catch (error) {
    eventBus.reject(error);
    control.reject(error);
    await shutdown.close();
    throw error;
  }
}

export type Stack = Awaited<ReturnType<typeof openStack>>;

/** A promise that may be rejected although nothing waits for it. */
function deferred<Value>() {
  const result = Promise.withResolvers<Value>();
  result.promise.catch(() => {});
  return result;
}

function apiControl({ template, location }: StackContext, throttle: StageThrottle): ControlService | undefined {
  const [api] = template.resources('AWS::ApiGatewayV2::Api');
  const [stage] = template.resources('AWS::ApiGatewayV2::Stage');
  if (!api || !stage) return undefined;
  const routeKeys = new Set(readRoutes(template).map(({ routeKey }) => routeKey));
  const { Name } = api.properties as { Name: string };
  return apiControlService({
    id: api.ref,
    name: Name,
    stageName: stage.ref,
    endpoint: location.apiUrl,
    region,
    routeKeys,
    throttle,
  });
}

const describeStack = ({ location, assembly, template }: StackContext, outputs: Record<string, string>) => ({
  name: location.stackName,
  id: stackId(location),
  createdAt: new Date().toISOString(),
  outputs,
  terminationProtection: assembly.terminationProtection,
  resources: template.physicalIds(),
});

/** The queues of the template. */
async function openQueues({ options, template, shutdown }: StackContext): Promise<Sqs> {
  const sqs = await openSqs({ path: join(options.dataFolder, 'queues.journal'), queues: readQueues(template) });
  shutdown.onClose(sqs.close);
  return sqs;
}
