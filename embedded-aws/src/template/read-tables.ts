import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';
import { streamArn } from './resource-identity.ts';

// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-dynamodb-table-streamspecification.html
const viewTypes = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'] as const;

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }));
const tableProperties = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z
          .object({ ProjectionType: z.string(), NonKeyAttributes: z.array(z.string()).optional() })
          .transform(({ ProjectionType, NonKeyAttributes }) => ({
            ProjectionType,
            ...(NonKeyAttributes && { NonKeyAttributes }),
          })),
      }),
    )
    .default([]),
  StreamSpecification: z.strictObject({ StreamViewType: z.enum(viewTypes) }).optional(),
  DeletionProtectionEnabled: z.boolean().default(false),
  PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: z.boolean() }).optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

export function readTables(template: DeployedTemplate) {
  return template.resources('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(({ ref, arn, properties }) => {
    const table = tableProperties.parse(properties);
    const { TimeToLiveSpecification: timeToLive, StreamSpecification: stream } = table;
    return {
      name: ref,
      keySchema: table.KeySchema,
      attributeDefinitions: table.AttributeDefinitions,
      globalSecondaryIndexes: table.GlobalSecondaryIndexes,
      ...(stream && { stream: { arn: streamArn(arn), viewType: stream.StreamViewType } }),
      ...(table.DeletionProtectionEnabled && { isProtected: true }),
      ...(table.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled && { hasPointInTimeRecovery: true }),
      ...(timeToLive?.Enabled && { timeToLiveAttribute: timeToLive.AttributeName }),
    };
  });
}
