import { expect, test } from 'vitest';
import { prices } from '../../../shared/pricing/prices.ts';
import { templateOf } from '../../infra/synthesised.ts';

type Resource = { Type: string; Properties?: object };
const template = templateOf('prod', {
  nodes: { fixedEgress: true },
  storeWebhook: true,
  tracing: true,
  alarmEmail: 'ops@example.com',
  monthlyBudget: 100,
});
const resources = Object.values(template.toJSON().Resources as Record<string, Resource>);

/** Services without a price of their own in the model, and why. A new service has to be listed here or in `prices`. */
const without = {
  Budgets: 'free: only budgets with actions are billed',
  Custom: 'functions that run at deployments',
  Events: 'rules are free, and the bus is billed per event of the service: a dollar for a million',
  IAM: 'free',
  SQS: 'receives what failed',
};
const priced: Record<string, unknown> = {
  ApiGatewayV2: prices.httpApi.perRequest,
  CloudFront: prices.cloudFront.perGb,
  CloudWatch: prices.cloudWatch.alarmMonth,
  DynamoDB: prices.dynamoDb.perWriteUnit,
  EC2: prices.natGateway.hour,
  ECS: prices.fargate.vcpuHour,
  KMS: prices.kmsKeyMonth,
  Lambda: prices.lambda.perGbSecond,
  Logs: prices.cloudWatch.logGb,
  S3: prices.s3.perPut,
  SNS: prices.sns.perEmail,
  StepFunctions: prices.stepFunctions.perTransition,
};
/** What a property of the template switches on at a separate price. */
const switches: { property: RegExp; price: unknown }[] = [
  { property: /"EventBridgeEnabled":true/, price: prices.s3.perEvent },
  { property: /"Type":"AWS::CloudFront::KeyValueStore"/, price: prices.cloudFront.perKeyValueRequest },
  { property: /"Mode":"Active"/, price: prices.xray.perTrace },
  { property: /"PointInTimeRecoveryEnabled":true/, price: prices.dynamoDb.backupGbMonth },
];
/** What would be billed and is not in the model. */
const unpriced = [/"DetailedMetricsEnabled":true/, /"Name":"containerInsights","Value":"en/, /ProvisionedConcurrency/];

test('each service of the template has a price in the cost model, or a reason why not', () => {
  const services = new Set(resources.map(({ Type }) => Type.split('::')[Type.startsWith('AWS::') ? 1 : 0]!));
  expect([...services].filter((name) => !Object.hasOwn(priced, name) && !Object.hasOwn(without, name))).toEqual([]);
  expect(Object.keys({ ...priced, ...without }).filter((name) => !services.has(name))).toEqual([]);
});

test('each feature that the template switches on has a price, and none that is not in the model is on', () => {
  const text = JSON.stringify(resources);
  for (const { property, price } of switches)
    expect([property, property.test(text), price]).toEqual([property, true, expect.any(Number)]);
  expect(unpriced.filter((property) => property.test(text))).toEqual([]);
});
