import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../infra/repository-root.ts';
import { templateOf } from './synthesised.ts';

// An operator runs the commands of docs/recovery.md in an incident: they have to fit the template.

const page = readFileSync(join(repositoryRoot, 'docs/recovery.md'), 'utf8');
const prod = templateOf('prod');
const only = (type: string) => Object.values(prod.findResources(type))[0]!.Properties;

test('the restore stops and starts every rule of the stage', () => {
  const rules = Object.keys(prod.findResources('AWS::Events::Rule'));
  for (const verb of ['disable', 'enable']) {
    const words = new RegExp(`rules ${verb} (.+)`).exec(page)![1]!.split(' ');
    expect(rules.filter((rule) => !words.some((word) => rule.includes(word)))).toEqual([]);
    expect(words.filter((word) => !rules.some((rule) => rule.includes(word)))).toEqual([]);
  }
});

test('the restored table gets what the template gives the table', () => {
  const { StreamSpecification, TimeToLiveSpecification } = only('AWS::DynamoDB::Table');
  expect(page).toContain(`StreamEnabled=true,StreamViewType=${StreamSpecification.StreamViewType} `);
  expect(page).toContain(`Enabled=true,AttributeName=${TimeToLiveSpecification.AttributeName}\n`);
  expect(page).toContain('PointInTimeRecoveryEnabled=true\n');
  expect(page).toContain('--deletion-protection-enabled\n');
});

test('the new event source mapping has the settings of the one in the template, and its role may read the new stream', () => {
  const mapping = only('AWS::Lambda::EventSourceMapping');
  const command = /aws lambda create-event-source-mapping .+/.exec(page)![0];
  const option = (name: string) => new RegExp(`--${name} ('[^']*'|\\S+)`).exec(command)?.[1]?.replaceAll("'", '');
  expect(option('starting-position')).toBe(mapping.StartingPosition);
  expect(option('batch-size')).toBe(String(mapping.BatchSize));
  expect(option('maximum-retry-attempts')).toBe(String(mapping.MaximumRetryAttempts));
  expect(option('maximum-record-age-in-seconds')).toBe(String(mapping.MaximumRecordAgeInSeconds));
  expect([option('function-response-types')]).toEqual(mapping.FunctionResponseTypes);
  expect(command.includes('--bisect-batch-on-function-error ')).toBe(mapping.BisectBatchOnFunctionError);
  expect(JSON.parse(option('filter-criteria')!)).toEqual(mapping.FilterCriteria);
  const policies = JSON.stringify(prod.findResources('AWS::IAM::Policy'));
  expect(policies).toContain('"/stream/*"');
});

test('the commands that throttle the API leave the metrics of its routes off, which are billed one by one', () => {
  const flags = [...page.matchAll(/DetailedMetricsEnabled=(\w+)/g)].map(([, flag]) => flag);
  const { DefaultRouteSettings } = only('AWS::ApiGatewayV2::Stage');
  expect(flags.length).toBeGreaterThan(0);
  expect(new Set(flags)).toEqual(new Set([String(DefaultRouteSettings.DetailedMetricsEnabled ?? false)]));
});
