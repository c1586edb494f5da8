import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';

/** How Lambda treats the asynchronous invocations of a function. */
export type AsyncSettings = {
  maxRetries: number;
  maxAgeSeconds: number;
  /** The queue that receives events which were given up. */
  onFailureQueueArn?: string | undefined;
};

/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-configuring.html */
const defaults: AsyncSettings = { maxRetries: 2, maxAgeSeconds: 6 * 3600 };

const queueArn = z.string().regex(/^arn:[^:]+:sqs:/, 'only queues are supported as destinations');
const configProperties = z.object({
  FunctionName: z.string(),
  MaximumRetryAttempts: z.int().min(0).max(2).default(defaults.maxRetries),
  MaximumEventAgeInSeconds: z.int().min(60).max(21_600).default(defaults.maxAgeSeconds),
  DestinationConfig: z.strictObject({ OnFailure: z.object({ Destination: queueArn }).optional() }).default({}),
});

/** The settings of each function by name. */
export function readAsyncSettings(template: DeployedTemplate): (functionName: string) => AsyncSettings {
  const settings = new Map(
    template.resources('AWS::Lambda::EventInvokeConfig').map(({ properties }) => {
      const { FunctionName, ...config } = configProperties.parse(properties);
      return [
        FunctionName.split(':').at(-1)!,
        {
          maxRetries: config.MaximumRetryAttempts,
          maxAgeSeconds: config.MaximumEventAgeInSeconds,
          onFailureQueueArn: config.DestinationConfig.OnFailure?.Destination,
        },
      ] as const;
    }),
  );
  return (functionName) => settings.get(functionName) ?? defaults;
}
