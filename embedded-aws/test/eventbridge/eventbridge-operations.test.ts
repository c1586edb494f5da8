import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventsService, eventsTarget } from '../../src/eventbridge/eventbridge-operations.ts';
import { openRuleStates } from '../../src/eventbridge/rule-states.ts';
import type { RuleDefinition } from '../../src/template/read-rules.ts';
import { askService } from '../ask-service.ts';

const rule = (name: string, more: Partial<RuleDefinition>): RuleDefinition => ({
  name,
  arn: `arn:aws:events:local-1:000000000000:rule/${name}`,
  busName: 'default',
  enabled: true,
  pattern: undefined,
  schedule: undefined,
  targets: [],
  ...more,
});
const rules = [
  rule('small-Uploaded', { pattern: { source: ['aws.s3'] } }),
  rule('small-reap', { schedule: 'rate(1 minute)' }),
  rule('other', { enabled: false, schedule: 'rate(1 minute)' }),
  rule('own|other', { busName: 'own', pattern: { source: ['video'] } }),
];

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rules-'));
  file = join(folder, 'rules.json');
});
afterEach(() => rm(folder, { recursive: true }));

const options = { rules, buses: [], region: 'local-1', accountId: '000000000000', publish: async () => {} };

async function call(operation: string, input: object) {
  const targets = new Map([[eventsTarget, eventsService({ ...options, states: await openRuleStates(file, rules) })]]);
  const headers = { 'x-amz-target': `AWSEvents.${operation}` };
  const body = JSON.stringify(input);
  const { status, text } = await askService({ services: { targets }, service: 'events', headers, body });
  return { status, answer: JSON.parse(text) };
}

test('rules are listed by name prefix, with their pattern or schedule', async () => {
  const { answer } = await call('ListRules', { NamePrefix: 'small-' });
  expect(answer.Rules).toEqual([
    {
      Name: 'small-Uploaded',
      Arn: rules[0]!.arn,
      State: 'ENABLED',
      EventBusName: 'default',
      EventPattern: '{"source":["aws.s3"]}',
    },
    {
      Name: 'small-reap',
      Arn: rules[1]!.arn,
      State: 'ENABLED',
      EventBusName: 'default',
      ScheduleExpression: 'rate(1 minute)',
    },
  ]);
});

test('rules of another bus are listed and switched by its name', async () => {
  await call('DisableRule', { Name: 'other', EventBusName: 'own' });
  const { answer } = await call('ListRules', { EventBusName: 'own' });
  expect(answer.Rules).toMatchObject([{ Name: 'other', EventBusName: 'own', State: 'DISABLED' }]);
});

test('the state of a rule survives a restart', async () => {
  for (const Name of ['small-reap', 'small-Uploaded']) await call('DisableRule', { Name });
  for (const Name of ['small-Uploaded', 'other']) await call('EnableRule', { Name });
  const { answer } = await call('ListRules', {});
  expect(answer.Rules.map(({ Name, State }: Record<string, string>) => [Name, State])).toEqual([
    ['small-Uploaded', 'ENABLED'],
    ['small-reap', 'DISABLED'],
    ['other', 'ENABLED'],
  ]);
});

test('concurrent changes of rules are all kept', async () => {
  const states = await openRuleStates(file, rules);
  await Promise.all(rules.map(({ name }) => states.setEnabled(name, false)));
  const again = await openRuleStates(file, rules);
  expect(rules.filter(({ name }) => again.isEnabled(name))).toEqual([]);
});

test('a missing rule and an unknown operation are rejected', async () => {
  expect(await call('DisableRule', { Name: 'none' })).toMatchObject({
    status: 400,
    answer: { __type: 'ResourceNotFoundException' },
  });
  expect(await call('DeleteRule', { Name: 'small-reap' })).toMatchObject({
    status: 400,
    answer: { __type: 'UnknownOperationException' },
  });
});

test('an invalid state file is reported and not overwritten', async () => {
  await writeFile(file, '{');
  await expect(openRuleStates(file, rules)).rejects.toThrow('is damaged');
});
