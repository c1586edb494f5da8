import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';
import { taskHints } from './hints.ts';

export type TaskDefinition = ReturnType<typeof readTaskDefinitions>[number];

const taskProperties = z.object({
  /** 1,024 units are one vCPU. */
  Cpu: z.coerce.number().default(1024),
  TaskRoleArn: z.string().optional(),
  ExecutionRoleArn: z.string().optional(),
  ContainerDefinitions: z.array(
    z.object({
      Name: z.string(),
      Environment: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
      // The default of ECS.
      StopTimeout: z.number().default(30),
      Secrets: z.array(z.object({ Name: z.string(), ValueFrom: z.string() })).default([]),
      MountPoints: z.array(z.object({ ContainerPath: z.string(), SourceVolume: z.string() })).default([]),
    }),
  ),
});

export function readTaskDefinitions(template: DeployedTemplate) {
  return template.resources('AWS::ECS::TaskDefinition').map(({ arn, properties, metadata }) => {
    const { Cpu, TaskRoleArn, ExecutionRoleArn, ContainerDefinitions } = taskProperties.parse(properties);
    return {
      arn,
      vcpus: Cpu / 1024,
      entryFile: taskHints.parse(metadata)['embedded-aws:container-entry'],
      /** RunTask requires iam:PassRole for each of them. */
      roleArns: [TaskRoleArn, ExecutionRoleArn].filter((role) => role !== undefined),
      containers: ContainerDefinitions.map((container) => ({
        name: container.Name,
        stopTimeoutSeconds: container.StopTimeout,
        environment: Object.fromEntries(container.Environment.map(({ Name, Value }) => [Name, Value])),
        /** The name of an SSM parameter for each variable. */
        secrets: Object.fromEntries(container.Secrets.map(({ Name, ValueFrom }) => [Name, parameterNameIn(ValueFrom)])),
        mounts: container.MountPoints.map(({ ContainerPath, SourceVolume }) => ({
          path: ContainerPath,
          volume: SourceVolume,
        })),
      })),
    };
  });
}

/** The ARN of a parameter does not contain the slash at the start of its name. */
const parameterNameIn = (arnOrName: string): string => arnOrName.replace(/^arn:[^:]+:ssm:[^:]*:[^:]*:parameter\//, '/');
