import { prices } from '../../shared/pricing/prices.ts';
import { deliveryAssumptions } from './delivery-cost.ts';

type Resource = { Type: string; Properties?: Record<string, unknown> };
export type IdleTemplate = { Resources: Record<string, Resource> };

/** Assumptions about a run of a scheduled function that finds nothing to do. */
export const idleAssumptions = {
  secondsPerRun: 0.2,
  gbPerRun: 0.5,
  /** the means of all runs of a month */
  readUnitsPerRun: 8,
  writeUnitsPerRun: 0.05,
  /** of which Lambda itself writes most */
  logKbPerRun: 0.8,
  /** lists of unfinished uploads and of files without a record, by `reconcile` and `sweep` every 15 minutes */
  listsPerQuarterHour: 7,
  /** metrics that an idle stage emits: the two of the queue, `Repaired` and `EdgeDelivers` */
  ownMetrics: 4,
  /** the 20 kept versions of worker and proxy for two architectures, compressed, without common layers */
  imageGb: 12,
} as const;

export type IdleItem = { name: string; count: number; dollars: number };

const minutesPerMonth = 730 * 60;

/** The costs in dollars of an idle month, by item, computed from the template. Free tiers are not deducted. */
export function idleItems({ Resources }: IdleTemplate): IdleItem[] {
  const ofType = (type: string): Resource[] => Object.values(Resources).filter(({ Type }) => Type === type);
  const { cloudWatch, lambda, dynamoDb, xray, kmsKeyMonth, ecrGbMonth, natGateway, publicAddressHour } = prices;
  const assumed = idleAssumptions;
  const runs = ofType('AWS::Events::Rule').reduce((sum, rule) => sum + runsPerMonth(rule), 0);
  const isTraced = ofType('AWS::StepFunctions::StateMachine').some(({ Properties }) =>
    JSON.stringify(Properties?.TracingConfiguration ?? {}).includes('true'),
  );
  const traces = isTraced ? runs : 0;
  // `check-nodes` requests a file each minute.
  const checks = ofType('AWS::CloudFront::Distribution').length * minutesPerMonth;
  const lists = runs > 0 ? (assumed.listsPerQuarterHour * minutesPerMonth) / 15 : 0;
  const metrics = assumed.ownMetrics;
  const alarmMetrics = ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0);
  const keys = ofType('AWS::KMS::Key').length;
  const gateways = ofType('AWS::EC2::NatGateway').length;
  const dashboards = ofType('AWS::CloudWatch::Dashboard').length;
  const perRun =
    lambda.perRequest +
    assumed.secondsPerRun * assumed.gbPerRun * lambda.perGbSecond +
    assumed.readUnitsPerRun * dynamoDb.perReadUnit +
    assumed.writeUnitsPerRun * dynamoDb.perWriteUnit;
  return [
    { name: 'dashboard', count: dashboards, dollars: dashboards * cloudWatch.dashboardMonth },
    { name: 'metrics', count: metrics, dollars: metrics * cloudWatch.metricMonth },
    { name: 'metrics of alarms', count: alarmMetrics, dollars: alarmMetrics * cloudWatch.alarmMonth },
    { name: 'KMS key', count: keys, dollars: keys * kmsKeyMonth },
    { name: 'scheduled runs: functions and table', count: runs, dollars: runs * perRun },
    // Only with `tracing`.
    ...(traces > 0 ? [{ name: 'their traces', count: traces, dollars: traces * xray.perTrace }] : []),
    { name: 'lists of the bucket', count: lists, dollars: lists * prices.s3.perPut },
    { name: 'checks of the edge', count: checks, dollars: checks * edgeCheckDollars },
    {
      name: 'their log lines',
      count: runs,
      dollars: ((runs * assumed.logKbPerRun) / 1e6) * cloudWatch.logGb,
    },
    // With its public address. Only with `nodes.fixedEgress`.
    ...(gateways > 0
      ? [{ name: 'NAT gateway', count: gateways, dollars: gateways * 730 * (natGateway.hour + publicAddressHour) }]
      : []),
    { name: 'GB of images', count: assumed.imageGb, dollars: assumed.imageGb * ecrGbMonth },
  ];
}

/** A request that is not cached, so it is answered by the bucket. */
const edgeCheckDollars =
  prices.cloudFront.perHttpsRequest +
  deliveryAssumptions.functionRunsPerRequest * prices.cloudFront.perFunctionRun +
  deliveryAssumptions.keyValueReadsPerRequest * prices.cloudFront.perKeyValueRead +
  prices.s3.perGet;

function runsPerMonth({ Properties }: Resource): number {
  const schedule = Properties?.ScheduleExpression;
  if (schedule === undefined) return 0;
  const minutes = Number(/^rate\((\d+) minutes?\)$/.exec(String(schedule))?.[1]);
  if (!minutes) throw new Error(`the cost model does not support the schedule ${schedule}`);
  return minutesPerMonth / minutes;
}

/** An alarm on an expression is billed per metric in it. */
function metricsOf({ Properties }: Resource): number {
  const metrics = Properties?.Metrics as { MetricStat?: unknown }[] | undefined;
  return metrics ? metrics.filter(({ MetricStat }) => MetricStat !== undefined).length : 1;
}
