import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';

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
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

export function readTables(template: DeployedTemplate) {
  return template.resources('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(({ ref, properties }) => {
    const table = tableProperties.parse(properties);
    const timeToLive = table.TimeToLiveSpecification;
    return {
      name: ref,
      keySchema: table.KeySchema,
      attributeDefinitions: table.AttributeDefinitions,
      globalSecondaryIndexes: table.GlobalSecondaryIndexes,
      ...(timeToLive?.Enabled && { timeToLiveAttribute: timeToLive.AttributeName }),
    };
  });
}
