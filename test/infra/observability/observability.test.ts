import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handlers } from '../../../infra/build/bundle.ts';
import { metrics } from '../../../shared/metrics.ts';
import { templateOf } from '../synthesised.ts';

const template = templateOf('dev');
const resources = (type: string) => Object.values(template.findResources(type)).map(({ Properties }) => Properties);
const alarms = resources('AWS::CloudWatch::Alarm');
const [dashboard] = resources('AWS::CloudWatch::Dashboard').map(({ DashboardBody }) => JSON.stringify(DashboardBody));
const runbook = readFileSync(join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');

test('every alarm has a section in the runbook, and every section an alarm', () => {
  const ofProxies = Object.values(templateOf('dev', { delivery: 'proxies' }).findResources('AWS::CloudWatch::Alarm'));
  const named = new Set(
    [...alarms, ...ofProxies.map(({ Properties }) => Properties)].map(({ AlarmName }) =>
      String(AlarmName).replace('video-service-dev-', ''),
    ),
  );
  const sections = [...runbook.matchAll(/^### Alarm: (\w+)$/gm)].map(([, name]) => name);
  expect(sections.toSorted()).toEqual([...named].toSorted());
});

test('every alarm has a description that links to its section of the runbook', () => {
  for (const { AlarmDescription } of alarms)
    expect(AlarmDescription).toMatch(/^[A-Z].{30,}\. What to do: docs\/runbook\.md#alarm-\w+$/);
});

/** Names and dimensions of all metrics that alarms use. */
const watched = alarms.flatMap((alarm) => [
  alarm,
  ...(alarm.Metrics ?? []).flatMap((one: { MetricStat?: { Metric: object } }) => one.MetricStat?.Metric ?? []),
]) as { Namespace?: string; MetricName?: string; Dimensions?: { Name: string; Value: unknown }[] }[];

test('alarms use metrics that are emitted and functions that exist', () => {
  for (const { Namespace, MetricName, Dimensions = [] } of watched) {
    if (Namespace === 'VideoService') expect(Object.keys(metrics)).toContain(MetricName);
    for (const { Name, Value } of Dimensions) {
      if (Name !== 'FunctionName') continue;
      const names = [...handlers, 'early-worker'].map((name) => `video-service-dev-${name.split('/').at(-1)}`);
      expect(names).toContain(Value);
    }
  }
});

test('the dashboard shows every metric of the service', () => {
  expect(Object.keys(metrics).filter((name) => !dashboard!.includes(name) && name !== 'ServiceFailures')).toEqual([]);
});

test('the stopped proxies of a stage with an edge raise no alarm, because the edge delivers', () => {
  expect(alarms.filter(({ AlarmName }) => /NoActiveProxy/.test(AlarmName))).toEqual([]);
});

test('a stage with an edge has an alarm when it delivers nothing', () => {
  const named = (stage: typeof template) =>
    Object.values(stage.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties.AlarmName);
  expect(named(template)).toContain('video-service-dev-EdgeFails');
  expect(named(templateOf('dev', { delivery: 'proxies' }))).not.toContain('video-service-dev-EdgeFails');
});

test('a stage whose viewers may be sent to proxies has an alarm when one of them delivers nothing', () => {
  const hasAlarm = (delivery: string) =>
    JSON.stringify(templateOf('dev', { delivery }).toJSON()).includes('video-service-dev-ProxiesFail');
  expect(['edge', 'proxies', 'both'].map(hasAlarm)).toEqual([false, true, true]);
});

test('the errors of every function that the schedule runs, or has started, raise an alarm', () => {
  const scheduled = resources('AWS::Events::Rule')
    .filter(({ ScheduleExpression }) => ScheduleExpression !== undefined)
    .flatMap(({ Targets }) => Targets.map(({ Arn }: { Arn: { 'Fn::GetAtt': [string] } }) => Arn['Fn::GetAtt'][0]));
  const functions = template.findResources('AWS::Lambda::Function');
  const started = scheduled.flatMap((id) =>
    Object.entries(functions[id]!.Properties.Environment.Variables).flatMap(([name, value]) =>
      name.endsWith('_FUNCTION') ? [value] : [],
    ),
  );
  const names = new Set([...scheduled.map((id) => functions[id]!.Properties.FunctionName), ...started]);
  const errors = alarms.flatMap(({ MetricName, Dimensions, Metrics = [] }) =>
    [{ MetricName, Dimensions }, ...Metrics.map((one: { MetricStat?: { Metric: object } }) => one.MetricStat?.Metric)]
      .filter((metric) => metric?.MetricName === 'Errors')
      .map(({ Dimensions: [{ Value }] }) => Value),
  );
  expect(started).toContain('video-service-dev-continue-storage-deliveries');
  // What fails in it, or dies, is the failure of a node, which has an alarm of its own.
  expect(names.delete('video-service-dev-operate')).toBe(true);
  expect([...names].filter((name) => !errors.includes(name))).toEqual([]);
});

test('only the schedule alarm treats missing data as breaching', () => {
  const breaching = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
  expect(breaching.map(({ AlarmName }) => AlarmName)).toEqual(['video-service-dev-SchedulerStopped']);
  expect(breaching[0]).toMatchObject({ ComparisonOperator: 'LessThanThreshold', Threshold: 1 });
});

test('the address in the settings gets an email for each alarm when it starts and ends, over TLS', () => {
  const mailed = templateOf('dev', { alarmEmail: 'operator@example.com' });
  mailed.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'operator@example.com' });
  mailed.allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: [{ Ref: Object.keys(mailed.findResources('AWS::SNS::Topic'))[0] }],
    OKActions: [{ Ref: Object.keys(mailed.findResources('AWS::SNS::Topic'))[0] }],
  });
});

test('a monthly budget of the account warns the address of the alarms before, at and of the limit', () => {
  expect(template.findResources('AWS::Budgets::Budget')).toEqual({});
  const limited = templateOf('dev', { alarmEmail: 'operator@example.com', monthlyBudget: 250 });
  const [budget, ...others] = Object.values(limited.findResources('AWS::Budgets::Budget'));
  expect(others).toEqual([]);
  expect(budget!.Properties.Budget).toEqual({
    BudgetType: 'COST',
    TimeUnit: 'MONTHLY',
    BudgetLimit: { Amount: 250, Unit: 'USD' },
  });
  const notification = (NotificationType: string, Threshold: number) => ({
    Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'operator@example.com' }],
  });
  expect(budget!.Properties.NotificationsWithSubscribers).toEqual([
    notification('ACTUAL', 80),
    notification('ACTUAL', 100),
    notification('FORECASTED', 100),
  ]);
});

test('the log of the state machine holds no execution data', () => {
  template.allResourcesProperties('AWS::StepFunctions::StateMachine', {
    LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
  });
});

test('with tracing, functions and the state machine are traced', () => {
  const withTraces = templateOf('dev', { tracing: true });
  const functions = Object.values(withTraces.findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => Properties,
  );
  // The function that decodes uploads has no permission to write traces.
  const [untraced, traced] = [true, false].map((isImage) =>
    functions.filter(({ PackageType }) => (PackageType === 'Image') === isImage),
  );
  expect(untraced!.map(({ TracingConfig }) => TracingConfig)).toEqual([undefined]);
  expect(traced!.length).toBeGreaterThan(20);
  for (const { TracingConfig } of traced!) expect(TracingConfig).toEqual({ Mode: 'Active' });
  withTraces.allResourcesProperties('AWS::StepFunctions::StateMachine', { TracingConfiguration: { Enabled: true } });
});

test('by default a stage writes no traces and has no permission for them', () => {
  expect(JSON.stringify(template.toJSON())).not.toMatch(/xray:|"Mode":"Active"|"Enabled":true,"TracingConfiguration"/);
});
