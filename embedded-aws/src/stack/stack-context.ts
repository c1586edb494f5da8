import { S3Client } from '@aws-sdk/client-s3';
import type { Meter } from '../account/meter.ts';
import { inCreationOrder } from '../cloudformation/check-template.ts';
import type { ClientAddress } from '../http/client-address.ts';
import type { ErrorBody } from '../http/http-server.ts';
import { describeError, isLogged, type LogLevel, type WriteLine } from '../http/log.ts';
import type { Role } from '../iam/principals.ts';
import type { SessionCredentials } from '../iam/session-credentials.ts';
import { type CloudAssembly, readCloudAssembly } from '../template/cloud-assembly.ts';
import { type DeployedTemplate, deployedTemplate } from '../template/deployed-template.ts';
import { type FunctionDefinition, readFunctions } from '../template/read-functions.ts';
import { accountId, region, type StackLocation } from '../template/resource-identity.ts';
import type { Chaos } from './chaos.ts';
import type { Shutdown } from './shutdown.ts';

export type StackOptions = {
  /** The cloud assembly. */
  templateFolder: string;
  /** Holds all state of the services. */
  dataFolder: string;
  apiUrl: string;
  /** The object store, as processes of this machine reach it. */
  storeUrl: string;
  /** All other services. */
  controlUrl: string;
  /** Tasks that run at the same time. */
  maxTasks: number;
  logLevel: LogLevel;
  writeLine: WriteLine;
  /** Variables of every function; they replace those of the template. */
  functionEnvironment: Record<string, string>;
  /**
   * The functions that an invocation of another one soon leads to, by their names without that of the stack. They are
   * loaded at the same time then, and not one after the other.
   */
  preparedWith?: Readonly<Record<string, readonly string[]>>;
  /** Replaces `LoggingConfig.ApplicationLogLevel` of all functions. */
  applicationLogLevel?: string;
  /** Variables of every container, by the slot that its task runs in. */
  taskEnvironment: (slot: number) => Record<string, string>;
  clientAddress: ClientAddress;
  /** Stops the HTTP servers. Called when tasks and functions have ended, before the services that answer are closed. */
  stopServing: () => Promise<void>;
  /** Rare behaviours of AWS. None by default. */
  chaos?: Chaos;
  meter?: Meter | undefined;
  /** Replaces the bodies of errors that the HTTP API answers itself. */
  errorBody?: ErrorBody;
};

/** The stack of a template, and what the openers of its services have in common. */
export type StackContext = {
  options: StackOptions;
  assembly: CloudAssembly;
  template: DeployedTemplate;
  location: StackLocation;
  functions: FunctionDefinition[];
  shutdown: Shutdown;
  /** Writes an ERROR line. After the shutdown has started nothing is written: interrupted work is not an error. */
  logError: (source: string, line: string) => void;
  /** Logs an error that no caller receives. */
  reportTo: (source: string) => (error: unknown) => void;
  /** A client of the object store in a role. It renews its credentials and is destroyed at the shutdown. */
  s3Client: (role: Role) => S3Client;
};

export async function readStack(options: StackOptions, shutdown: Shutdown): Promise<StackContext> {
  const { templateFolder, apiUrl, storeUrl, logLevel, writeLine } = options;
  const assembly = await readCloudAssembly(templateFolder);
  const location = { stackName: assembly.stackName, region, accountId, apiUrl };
  const template = deployedTemplate(inCreationOrder(assembly.template), location);
  const logError = (source: string, line: string): void => {
    if (!shutdown.started && isLogged('ERROR', logLevel)) writeLine(source, line);
  };
  return {
    options,
    assembly,
    template,
    location,
    functions: readFunctions(template, assembly),
    shutdown,
    logError,
    reportTo: (source) => (error) => logError(source, describeError(error)),
    s3Client(role) {
      const client = new S3Client({
        endpoint: storeUrl,
        region,
        credentials: async () => withExpiration(role.issue()),
      });
      shutdown.onClose(() => client.destroy());
      return client;
    },
  };
}

/** As the SDK expects it: without an expiration it would never renew the credentials. */
const withExpiration = ({ expiresAtMs, ...credentials }: SessionCredentials) => ({
  ...credentials,
  expiration: new Date(expiresAtMs),
});
