import { z } from 'zod';
import type { CloudAssembly } from './cloud-assembly.ts';
import type { DeployedTemplate } from './deployed-template.ts';
import { functionHints } from './hints.ts';

export type FunctionDefinition = ReturnType<typeof readFunctions>[number];

const functionProperties = z.object({
  Role: z.string(),
  Runtime: z.string().default(''),
  Handler: z.string().default('index.handler'),
  Code: z.object({ S3Key: z.string().optional() }),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  ReservedConcurrentExecutions: z.int().min(0).optional(),
  LoggingConfig: z
    .object({ LogFormat: z.enum(['JSON', 'Text']).default('Text'), ApplicationLogLevel: z.string().default('INFO') })
    .default({ LogFormat: 'Text', ApplicationLogLevel: 'INFO' }),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
});

/**
 * The functions of the template that run on Node. Functions in other languages, such as those of custom resources that
 * CloudFormation calls during a deployment, and functions that run a container image are left out: an invocation of
 * them is refused as if they did not exist.
 */
export function readFunctions(template: DeployedTemplate, assembly: CloudAssembly) {
  return template.resources('AWS::Lambda::Function').flatMap(({ ref, arn, properties, metadata }) => {
    const { Runtime, Handler, Code, Timeout, MemorySize, Environment, Role, ...more } =
      functionProperties.parse(properties);
    const { ReservedConcurrentExecutions, LoggingConfig } = more;
    if (!Runtime.startsWith('nodejs') || !Code.S3Key) return [];
    const hints = functionHints.parse(metadata);
    const [module, handler] = Handler.split(/\.(?=[^.]+$)/);
    return {
      name: ref,
      arn,
      codeFolder: assembly.assetPath(Code.S3Key),
      module: module!,
      handler: handler!,
      timeoutSeconds: Timeout,
      memoryMiB: MemorySize,
      ...(ReservedConcurrentExecutions !== undefined && { reservedConcurrency: ReservedConcurrentExecutions }),
      environment: Environment.Variables,
      // Text logs have no levels.
      ...(LoggingConfig.LogFormat === 'JSON' && { applicationLogLevel: LoggingConfig.ApplicationLogLevel }),
      roleArn: Role,
      managedNodeRoleName: hints['embedded-aws:managed-node-role'],
      wakesTasks: hints['embedded-aws:wakes-tasks'],
    };
  });
}
