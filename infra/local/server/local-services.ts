import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { cloudFormationService } from '../../embedded-aws/cloudformation/cloudformation-server.ts';
import { createControlServer } from '../../embedded-aws/control/control-server.ts';
import { dynamoTarget, openDynamo } from '../../embedded-aws/dynamodb/dynamodb-server.ts';
import { ecsTarget, openEcs } from '../../embedded-aws/ecs/ecs-server.ts';
import { openEvents } from '../../embedded-aws/eventbridge/event-bus.ts';
import { eventsService, eventsTarget } from '../../embedded-aws/eventbridge/eventbridge-operations.ts';
import { openRuleStates } from '../../embedded-aws/eventbridge/rule-states.ts';
import type { ClientAddress } from '../../embedded-aws/http/client-address.ts';
import type { RequestHandler } from '../../embedded-aws/http/http-server.ts';
import { describeError, isLogged, type LogLevel, type WriteLine } from '../../embedded-aws/http/log.ts';
import { createGateway } from '../../embedded-aws/http-api/http-api-server.ts';
import { authorize } from '../../embedded-aws/iam/authorize.ts';
import { readMasterSecret } from '../../embedded-aws/iam/master-secret.ts';
import type { Principal } from '../../embedded-aws/iam/principals.ts';
import { answerCall } from '../../embedded-aws/lambda/answer-service-call.ts';
import type { Invocation } from '../../embedded-aws/lambda/lambda-instance.ts';
import { failureLine, openLambda } from '../../embedded-aws/lambda/lambda-server.ts';
import { type BucketSettings, openS3 } from '../../embedded-aws/s3/s3-server.ts';
import { openSsm, ssmTarget } from '../../embedded-aws/ssm/ssm-server.ts';
import { clientEnvironment, nodeEnvironment } from '../../embedded-aws/stack/client-environment.ts';
import { objectAccess } from '../../embedded-aws/stack/object-access.ts';
import { createStackPrincipals } from '../../embedded-aws/stack/stack-principals.ts';
import { openStates } from '../../embedded-aws/step-functions/step-functions.ts';
import { statesService, statesTarget } from '../../embedded-aws/step-functions/step-functions-server.ts';
import { readCloudAssembly } from '../../embedded-aws/template/cloud-assembly.ts';
import { deployedTemplate, stackId } from '../../embedded-aws/template/deployed-template.ts';
import { readBuckets } from '../../embedded-aws/template/read-buckets.ts';
import { readFunctions } from '../../embedded-aws/template/read-functions.ts';
import { readRoutes } from '../../embedded-aws/template/read-routes.ts';
import { readRules } from '../../embedded-aws/template/read-rules.ts';
import { readStateMachines } from '../../embedded-aws/template/read-state-machines.ts';
import { readTables } from '../../embedded-aws/template/read-tables.ts';
import { readTaskDefinitions } from '../../embedded-aws/template/read-task-definitions.ts';
import { backupService, backupTarget } from '../backup/backup-service.ts';
import { cutFolderOf } from '../backup/cut.ts';
import { openAccessLog } from '../proxy/access-log.ts';
import { createProxy } from '../proxy/proxy-server.ts';
import { createSigningKeys } from '../proxy/signing-keys.ts';

/** No part of AWS's own names, so that a request that leaves this machine by mistake reaches nothing. */
export const region = 'local-1';
const accountId = '000000000000';
const dayMs = 86_400_000;
const proxyName = 'local';

export type ServicesOptions = {
  templateFolder: string;
  dataFolder: string;
  apiUrl: string;
  /** Of the object store, as the processes of this machine reach it. */
  storeUrl: string;
  /** Of all other services of AWS. */
  controlUrl: string;
  /** Encode processes at a time. */
  workers: number;
  logLevel: LogLevel;
  writeLine: WriteLine;
  /** Added to the environment of every function. */
  environment: Record<string, string>;
  clientAddress: ClientAddress;
  /** Of pages that may use the store, instead of those of the template. */
  allowedOrigins?: string[];
  /** Ends the requests of clients: called when nothing here sends any more, before what answers them is closed. */
  stopServing: () => Promise<void>;
};

/** Opens every service that the template has a part in, wired as AWS wires them. Executions that were under way go on. */
export async function openServices(options: ServicesOptions) {
  const { templateFolder, dataFolder, apiUrl, storeUrl, controlUrl, workers, logLevel, writeLine, clientAddress } =
    options;
  const closers: (() => void | Promise<void>)[] = [];
  let closing = false;
  /** Those opened last are closed first. */
  const close = async () => {
    closing = true;
    for (const closeOne of closers.reverse().splice(0)) await closeOne();
  };
  const wired = Promise.withResolvers<ReturnType<typeof openEvents>>();
  wired.promise.catch(() => {});
  const controlled = Promise.withResolvers<RequestHandler>();
  controlled.promise.catch(() => {});
  try {
    const assembly = await readCloudAssembly(templateFolder);
    const place = { stackName: assembly.stackName, region, accountId, apiUrl };
    const template = deployedTemplate(assembly.template, place);
    const outputs = template.outputs();
    const functions = readFunctions(template, assembly);
    // What closing interrupts is no failure.
    const tellError = (source: string, line: string) => {
      if (!closing && isLogged('ERROR', logLevel)) writeLine(source, line);
    };
    const report = (source: string) => (error: unknown) => tellError(source, describeError(error));
    const shortName = (nameOrArn: string) =>
      nameOrArn
        .split(':')
        .at(-1)!
        .slice(assembly.stackName.length + 1);

    // First, because its lock is what keeps a second instance off the folder.
    const dynamo = await openDynamo({ folder: join(dataFolder, 'dynamodb'), tables: readTables(template), region });
    closers.push(dynamo.close);
    // What a backup left that was under way when the service ended.
    await rm(cutFolderOf(dataFolder), { recursive: true, force: true });
    const principals = createStackPrincipals(template, await readMasterSecret(dataFolder), accountId);
    const ssm = await openSsm({ file: join(dataFolder, 'parameters.json'), region });
    closers.push(ssm.close);

    const s3 = await openS3({
      folder: join(dataFolder, 's3'),
      region,
      findPrincipal: principals.find,
      buckets: readBuckets(template).map((bucket) => allowing(bucket, options.allowedOrigins)),
      onObjectCreated: async (event) => (await wired.promise).objectCreated(event),
    });
    closers.push(s3.close, options.stopServing);
    const expire = () => void s3.applyLifecycle(new Date()).catch(report('s3'));
    const expiry = setInterval(expire, dayMs);
    closers.push(() => clearInterval(expiry));
    // A machine that is switched off at night never runs for a day.
    expire();

    const lambda = openLambda({
      functions,
      environmentOf: (definition) => ({
        ...clientEnvironment({ region, storeUrl, controlUrl }, principals.ofFunction(definition)),
        ...(definition.managedNodeRoleName && nodeEnvironment(principals.ofNodes(definition.managedNodeRoleName))),
      }),
      overrides: { LOG_LEVEL: logLevel, MAX_TASKS: String(workers), ...options.environment },
      cacheFolder: templateFolder,
      log: (name, line) => writeLine(shortName(name), line),
      // Functions of executions that go on may call before all services are open.
      services: {
        endpoint: controlUrl,
        call: (call) => answerCall(controlled.promise, call, report('control')),
      },
    });
    closers.push(lambda.close);
    /** Failures that no caller sees are told here. */
    const invokeAndTell = async (nameOrArn: string, event: unknown): Promise<Invocation> => {
      const answer = await lambda.invoke(nameOrArn, event);
      if (answer.functionError) tellError(shortName(nameOrArn), failureLine(answer));
      return answer;
    };

    const storeOf = ({ credentials }: Principal): S3Client => {
      const store = new S3Client({ endpoint: storeUrl, region, credentials });
      closers.push(() => store.destroy());
      return store;
    };
    const stateMachines = readStateMachines(template);
    const machines = new Map(
      stateMachines.map((machine) => {
        const principal = principals.ofStateMachine(machine);
        return [machine.arn, { principal, ...objectAccess(storeOf(principal)) }];
      }),
    );
    // The executions of a distributed map belong to `<machine>/<label>`.
    const machineOf = (machineArn: string) => machines.get(machineArn.split('/')[0]!)!;
    const wakingArns = new Set(functions.filter(({ wakesTasks }) => wakesTasks).map(({ arn }) => arn));
    // Executions go on before there are tasks.
    let wakeTasks = (): void => {};
    const states = await openStates({
      folder: join(dataFolder, 'executions'),
      region,
      accountId,
      stateMachines,
      invokeLambda: async (nameOrArn, payload, machineArn) => {
        authorize(machineOf(machineArn).principal, 'lambda:InvokeFunction', lambda.arnOf(nameOrArn));
        const answer = await lambda.invoke(nameOrArn, payload);
        if (wakingArns.has(lambda.arnOf(nameOrArn))) wakeTasks();
        return answer;
      },
      readObject: async (bucket, key, machineArn) => machineOf(machineArn).readObject(bucket, key),
      writeObject: async (bucket, key, body, machineArn) => machineOf(machineArn).writeObject(bucket, key, body),
      listObjects: async (bucket, prefix, machineArn) => machineOf(machineArn).listObjects(bucket, prefix),
      onError: report('states'),
    });
    closers.push(states.close);

    const rules = readRules(template);
    const ruleStates = await openRuleStates(join(dataFolder, 'rules.json'), rules);
    const events = openEvents({
      rules,
      isEnabled: ruleStates.isEnabled,
      region,
      accountId,
      startExecution: (stateMachineArn, name, input) => states.call('StartExecution', { stateMachineArn, name, input }),
      invokeLambda: invokeAndTell,
      report: report('events'),
    });
    closers.push(events.close);
    wired.resolve(events);

    const ecs = await openEcs({
      taskDefinitions: readTaskDefinitions(template),
      entryFolder: templateFolder,
      folder: join(dataFolder, 'tasks'),
      region,
      accountId,
      largestCount: workers,
      parameter: ssm.get,
      // A worker that starts again in its place is known at once to have lost its job.
      placeEnvironment: (place) => ({ WORKER_NAME: `local-${place}`, LOG_LEVEL: workerLogLevel(logLevel) }),
      log: writeLine,
    });
    wakeTasks = ecs.wakeTasks;
    // The tasks first, so that they still reach the API to give their jobs back.
    closers.push(ecs.close);

    const proxyStore = storeOf(principals.ofProxy(outputs.ProxyRoleName ?? ''));
    const accessLog = await openAccessLog({
      folder: join(dataFolder, 'access-log'),
      name: proxyName,
      store: proxyStore,
      bucket: outputs.BucketName!,
      onError: report('proxy'),
    });
    closers.push(accessLog.close);

    const setup = functions.find(({ name }) => name === outputs.SetupFunctionName);
    if (!setup) throw new Error('The template has no function that SetupFunctionName names.');

    const createdAt = new Date().toISOString();
    const stack = { name: assembly.stackName, id: stackId(place), createdAt, outputs };

    const control = createControlServer({
      region,
      find: principals.find,
      targets: new Map([
        [dynamoTarget, dynamo.service],
        [ssmTarget, ssm.service],
        [statesTarget, statesService(states)],
        [eventsTarget, eventsService(rules, ruleStates)],
        [ecsTarget, ecs.service],
        [backupTarget, backupService({ dataFolder, readEntries: dynamo.readEntries, holdBlobs: s3.holdBlobs })],
      ]),
      forms: new Map([['cloudformation', cloudFormationService(stack)]]),
      lambda: lambda.service,
    });
    controlled.resolve(control);

    return {
      bucketName: outputs.BucketName!,
      api: createGateway({
        routes: readRoutes(template),
        accountId,
        invoke: invokeAndTell,
        clientAddress,
      }) satisfies RequestHandler,
      store: s3.handle satisfies RequestHandler,
      control: control satisfies RequestHandler,
      operator: principals.operator.credentials,
      proxy: createProxy({
        name: proxyName,
        store: proxyStore,
        bucket: outputs.BucketName!,
        clientAddress,
        signingKeys: createSigningKeys(() => ssm.get(`${setup.environment.PARAMETER_PREFIX}/signing-keys`)),
        onAccess: (access) => {
          accessLog.write(access);
          if (isLogged('INFO', logLevel)) writeLine('proxy', JSON.stringify(access));
        },
      }) satisfies RequestHandler,

      /** Makes what the stage needs before its first request. Whether the administrator was made is told; one that is there stays. */
      async setUp(input: SetupInput): Promise<{ adminCreated: boolean }> {
        const answer = await lambda.invoke(setup.name, input);
        if (answer.functionError) throw new Error(`The setup function failed: ${failureLine(answer)}`);
        return answer.payload as { adminCreated: boolean };
      },

      startSchedules: events.startSchedules,
      close,
    };
  } catch (error) {
    wired.reject(error);
    controlled.reject(error);
    await close();
    throw error;
  }
}

export type Services = Awaited<ReturnType<typeof openServices>>;

export type SetupInput = {
  admin?: { name: string; email: string; password: string };
  /** `internalUrl` is where the service itself reaches the proxy, if not under its public name. */
  proxy: { name: string; hostname: string; scheme: 'http' | 'https'; internalUrl?: string };
};

const allowing = (bucket: BucketSettings, allowedOrigins: string[] | undefined): BucketSettings =>
  allowedOrigins ? { ...bucket, cors: bucket.cors.map((rule) => ({ ...rule, allowedOrigins })) } : bucket;

const workerLogLevel = (level: LogLevel): string => (level === 'SILENT' ? 'error' : level.toLowerCase());
