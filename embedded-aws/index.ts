// The API of this package; README.md describes it. Its parts are loaded when they are used: a command that only checks
// data, or reports a wrong option, does not wait for all services.

import type { Stack } from './src/stack/embedded-stack.ts';
import type { RunOptions, runStack as run } from './src/stack/run-stack.ts';
import type { StackOptions } from './src/stack/stack-context.ts';

/** Runs a template on this machine, and serves it on ports of this machine. */
export const runStack = async (options: RunOptions): ReturnType<typeof run> =>
  (await import('./src/stack/run-stack.ts')).runStack(options);

/** Opens every service that a template uses, for a program that serves them itself. */
export const openStack = async (options: StackOptions): Promise<Stack> =>
  (await import('./src/stack/embedded-stack.ts')).openStack(options);

/** Loads what `openStack` needs, for programs that do something else before they open a stack. */
export const loadStack = async (): Promise<void> => void (await import('./src/stack/embedded-stack.ts'));

export type { RunOptions, Stack, StackOptions };

// Its options, and what it reports.

export type { Billed, Meter } from './src/account/meter.ts';
export { isLogLevel, type LogLevel, type WriteLine, writeToStderr } from './src/http/log.ts';
export { failureLine } from './src/lambda/failure-line.ts';
export { TooManyRequests } from './src/lambda/lambda-errors.ts';
export { type Chaos, fullChaos, newAccountChaos } from './src/stack/chaos.ts';

// Templates.

export { type ReadTemplate, readAssembly, readTemplate } from './src/stack/read-template.ts';
export type { Resource, Template } from './src/template/deployed-template.ts';
export { templateHints } from './src/template/hints.ts';
export { accountId, region } from './src/template/resource-identity.ts';

// Servers for a stack that `openStack` has opened.

export { createAddressList, createClientAddress } from './src/http/client-address.ts';
export {
  createHttpServer,
  type ErrorBody,
  type HttpLimits,
  largeTransfers,
  type RequestHandler,
  smallRequests,
  stopServer,
} from './src/http/http-server.ts';

// Services of other programs, which `addService` of a stack serves, and their callers.

export type { ControlService } from './src/control/control-service.ts';
export { authorize } from './src/iam/authorize.ts';
export type { Credentials } from './src/iam/principals.ts';
export { signedHeaders } from './src/iam/signed-headers.ts';

// The data folder, and files that a power failure does not damage.

export { DamagedData } from './src/durable/damaged-data.ts';
export { replaceFile } from './src/durable/proof.ts';
export { readWhole, writeWhole } from './src/durable/whole-file.ts';
export { isLocked } from './src/dynamodb/storage/database.ts';
export type { Entries } from './src/dynamodb/storage/entries.ts';
export {
  filesOfObjects,
  findDamagedObjects,
  hasItems,
  hasObjects,
  type Lock,
  lockFolder,
  openItems,
  verifyData,
  writeItems,
} from './src/stack/data-folder.ts';
