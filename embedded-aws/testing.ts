// What tests need of this package, beside its API: single services instead of a whole stack, and their clients.
// Services are loaded when they are opened, since most tests need one of them.

import type { DistributionOptions } from './src/cloudfront/distribution-server.ts';
import type { Item, Table } from './src/dynamodb/dynalite/dynalite.ts';
import type { DynamoOptions } from './src/dynamodb/dynamodb-server.ts';
import type { S3, S3Options } from './src/s3/s3-server.ts';
import type { SsmOptions } from './src/ssm/ssm-server.ts';
import type { runStateMachine as runMachine } from './src/testing/run-state-machine.ts';
import type { runDistribution as run } from './src/testing/running-distribution.ts';
import type { AccountServer } from './src/testing/serve-account.ts';
import type { EventBusServer } from './src/testing/serve-event-bus.ts';
import type { DeploymentOptions } from './src/testing/stack-deployment.ts';

// Requests and their servers.

export { createControlServer } from './src/control/control-server.ts';
export { ServiceError } from './src/control/json-protocol.ts';
export { allowEverything, type Policy } from './src/iam/policy.ts';
export { createPrincipal, createPrincipalLookup } from './src/testing/create-principal.ts';
export { credentials, serveControl } from './src/testing/serve-control.ts';
export { signRequest } from './src/testing/sign-request.ts';

// Parts of services that need no service.

export { type AccountLimits, newAccountLimits, usualLimits } from './src/account/account-limits.ts';
export { compileFunction } from './src/cloudfront/functions/function-runtime.ts';
export { fromCheckedLine } from './src/durable/checked-line.ts';
export { requestEvent, splitTarget } from './src/http-api/http-api-event.ts';
export { createRouter } from './src/http-api/http-api-router.ts';
export { createThrottle } from './src/http-api/throttle.ts';
export { defaultIdleSeconds, maxInstances } from './src/lambda/instance-registry.ts';
export { metricProblem } from './src/logs/metric-line.ts';
export { retryDelaySeconds } from './src/step-functions/definition/retry-delay.ts';
export {
  resources as distributionResources,
  templateOf as distributionTemplate,
} from './src/testing/distribution-template.ts';
export { edgeLogLine } from './src/testing/edge-log-line.ts';
export { testClock } from './src/testing/test-clock.ts';

// Services.

/**
 * `target` is the start of the names of its operations, in the header `X-Amz-Target`. `itemPrefix` is the start of the
 * keys of entries that are items of a table.
 */
export async function openDynamo(options: DynamoOptions) {
  const { dynamoTarget, openDynamo: open } = await import('./src/dynamodb/dynamodb-server.ts');
  const { itemPrefix } = await import('./src/dynamodb/storage/database.ts');
  return { ...(await open(options)), target: dynamoTarget, itemPrefix };
}

export async function openSsm(options: SsmOptions) {
  const { openSsm: open, ssmTarget } = await import('./src/ssm/ssm-server.ts');
  return { ...(await open(options)), target: ssmTarget };
}

export const openS3 = async (options: S3Options): Promise<S3> =>
  (await import('./src/s3/s3-server.ts')).openS3(options);

export const createDistribution = async (options: DistributionOptions) =>
  (await import('./src/cloudfront/distribution-server.ts')).createDistribution(options);

/** A distribution of `distributionTemplate` with its bucket. */
export const runDistribution = async (...options: Parameters<typeof run>) =>
  (await import('./src/testing/running-distribution.ts')).runDistribution(...options);

/** An event bus whose rules invoke functions. */
export const serveEventBus = async (options: EventBusServer) =>
  (await import('./src/testing/serve-event-bus.ts')).serveEventBus(options);

/** An account in which no function runs. */
export const serveAccount = async (options: AccountServer) =>
  (await import('./src/testing/serve-account.ts')).serveAccount(options);

/** A stack that is deployed resource by resource. */
export const openDeployment = async (options: DeploymentOptions) =>
  (await import('./src/testing/stack-deployment.ts')).openDeployment(options);

/** The result of a JSONata expression in a state machine. */
export async function evaluateExpression(expression: string): Promise<unknown> {
  const { evaluateTemplate } = await import('./src/step-functions/jsonata/jsonata-template.ts');
  return evaluateTemplate(`{% ${expression} %}`, {}, 'Output');
}

/** Runs a state machine that calls no other service to its end. */
export const runStateMachine = async (...options: Parameters<typeof runMachine>) =>
  (await import('./src/testing/run-state-machine.ts')).runStateMachine(...options);

// What is stored, for tests and measurements that read or write it below the services.

export const openData = async (dataFolder: string) =>
  (await import('./src/testing/stored-data.ts')).openData(dataFolder);

export const openTableStorage = async (folder: string) =>
  (await import('./src/testing/stored-data.ts')).openTableStorage(folder);

// Types.

export type { StackDescription as StackFacts } from './src/cloudformation/cloudformation-server.ts';
export type { Origin } from './src/cloudfront/origins/origin.ts';
export type { CapacityUse } from './src/dynamodb/storage/capacity-units.ts';
export type { TableSettings } from './src/dynamodb/storage/table-definitions.ts';
export type { Blob } from './src/s3/storage/blobs.ts';
export type { Retrier } from './src/step-functions/definition/asl-types.ts';
export type { Line as JournalLine } from './src/step-functions/execution/journal-line.ts';
export type { OpenData, StoredEntry, TableStorage } from './src/testing/stored-data.ts';
export type { Item, S3, Table };
