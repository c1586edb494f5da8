import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';

const strings = z.array(z.string()).default([]);
const bucketProperties = z.object({
  NotificationConfiguration: z
    .object({ EventBridgeConfiguration: z.object({ EventBridgeEnabled: z.boolean() }).optional() })
    .optional(),
  CorsConfiguration: z
    .object({
      CorsRules: z.array(
        z.object({
          AllowedOrigins: strings,
          AllowedMethods: strings,
          AllowedHeaders: strings,
          ExposedHeaders: strings,
          MaxAge: z.number().optional(),
        }),
      ),
    })
    .default({ CorsRules: [] }),
  LifecycleConfiguration: z
    .object({
      Rules: z.array(
        z.object({
          Status: z.string(),
          Prefix: z.string().default(''),
          ExpirationInDays: z.number().optional(),
          AbortIncompleteMultipartUpload: z.object({ DaysAfterInitiation: z.number() }).optional(),
        }),
      ),
    })
    .default({ Rules: [] }),
});

export function readBuckets(template: DeployedTemplate) {
  return template.resources('AWS::S3::Bucket').map(({ ref, properties }) => {
    const { NotificationConfiguration, CorsConfiguration, LifecycleConfiguration } = bucketProperties.parse(properties);
    const rules = LifecycleConfiguration.Rules.filter(({ Status }) => Status === 'Enabled');
    const abortDays = rules.find((rule) => rule.AbortIncompleteMultipartUpload)?.AbortIncompleteMultipartUpload;
    return {
      name: ref,
      eventBridge: NotificationConfiguration?.EventBridgeConfiguration?.EventBridgeEnabled ?? false,
      cors: CorsConfiguration.CorsRules.map((rule) => ({
        allowedOrigins: rule.AllowedOrigins,
        allowedMethods: rule.AllowedMethods,
        allowedHeaders: rule.AllowedHeaders,
        exposedHeaders: rule.ExposedHeaders,
        ...(rule.MaxAge !== undefined && { maxAgeSeconds: rule.MaxAge }),
      })),
      lifecycle: {
        ...(abortDays && { abortIncompleteMultipartDays: abortDays.DaysAfterInitiation }),
        expire: rules.flatMap(({ Prefix, ExpirationInDays }) =>
          ExpirationInDays === undefined ? [] : { prefix: Prefix, days: ExpirationInDays },
        ),
      },
    };
  });
}
