import { expect, test } from 'vitest';
import { type IdleTemplate, idleItems } from '../../../tools/cost/idle-cost.ts';
import { templateOf } from '../../infra/synthesised.ts';

const total = (template: IdleTemplate): number => idleItems(template).reduce((sum, { dollars }) => sum + dollars, 0);
const only = (Type: string, Properties: Record<string, unknown> = {}): IdleTemplate => ({
  Resources: { One: { Type, Properties } },
});
const dollarsOf = (name: string, template: IdleTemplate): number =>
  idleItems(template).find((item) => item.name === name)!.dollars;

test.each(['dev', 'prod'])('an idle month of %s costs at most fifteen dollars', (stage) => {
  expect(total(templateOf(stage).toJSON() as IdleTemplate)).toBeLessThanOrEqual(15);
});

test('a rule with a rate of one minute runs 43,800 times a month, a rule for events never', () => {
  const rule = only('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)' });
  expect(idleItems(rule).find(({ name }) => name === 'their log lines')?.count).toBe(43_800);
  expect(dollarsOf('their log lines', only('AWS::Events::Rule', { EventPattern: {} }))).toBe(0);
});

test('runs are traced only with the setting for it', () => {
  const tracesOf = (settings: object) =>
    idleItems(templateOf('dev', settings).toJSON() as IdleTemplate).filter(({ name }) => name === 'their traces');
  expect(tracesOf({})).toEqual([]);
  expect(tracesOf({ tracing: true })).toMatchObject([{ count: expect.any(Number) }]);
});

test('an unsupported schedule expression is an error', () => {
  expect(() => idleItems(only('AWS::Events::Rule', { ScheduleExpression: 'cron(0 0 * * ? *)' }))).toThrow('cron');
});

test('an alarm is billed per metric', () => {
  const name = 'metrics of alarms';
  expect(dollarsOf(name, only('AWS::CloudWatch::Alarm', { MetricName: 'Failed' }))).toBeCloseTo(0.1);
  const Metrics = [{ Expression: 'SUM(METRICS())' }, { MetricStat: {} }, { MetricStat: {} }];
  expect(dollarsOf(name, only('AWS::CloudWatch::Alarm', { Metrics }))).toBeCloseTo(0.2);
});
