import { prices } from '../../pricing/prices.ts';

type Resource = { Type: string; Properties?: Record<string, unknown> };
export type IdleTemplate = { Resources: Record<string, Resource> };

/** What the model takes for granted of a turn of the clock that finds nothing to do. */
export const idleAssumptions = {
  secondsPerTurn: 0.2,
  gbPerTurn: 0.5,
  readUnitsPerTurn: 10,
  writeUnitsPerTurn: 1,
  logKbPerTurn: 2,
  /** metrics of the service that are noted though nothing happens: the two of the queue and `Repaired` */
  ownMetrics: 3,
  /** of the cluster as a whole, by Container Insights */
  clusterMetrics: 3,
  /** of the worker's and the proxy's images */
  imageGb: 0.7,
} as const;

export type IdleItem = { name: string; count: number; dollars: number };

const minutesPerMonth = 730 * 60;

/** Dollars that a stage costs in a month in which nobody uploads or watches, item by item, counted from its template. Free tiers are not taken off. */
export function idleItems({ Resources }: IdleTemplate): IdleItem[] {
  const ofType = (type: string): Resource[] => Object.values(Resources).filter(({ Type }) => Type === type);
  const { cloudWatch, lambda, dynamoDb, xray, kmsKeyMonth, ecrGbMonth } = prices;
  const assumed = idleAssumptions;
  const turns = ofType('AWS::Events::Rule').reduce((sum, rule) => sum + turnsPerMonth(rule), 0);
  const metrics = assumed.ownMetrics + ofType('AWS::ECS::Cluster').length * assumed.clusterMetrics;
  const alarmMetrics = ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0);
  const keys = ofType('AWS::KMS::Key').length;
  const dashboards = ofType('AWS::CloudWatch::Dashboard').length;
  const perTurn =
    lambda.perRequest +
    assumed.secondsPerTurn * assumed.gbPerTurn * lambda.perGbSecond +
    assumed.readUnitsPerTurn * dynamoDb.perReadUnit +
    assumed.writeUnitsPerTurn * dynamoDb.perWriteUnit;
  return [
    { name: 'dashboard', count: dashboards, dollars: dashboards * cloudWatch.dashboardMonth },
    { name: 'metrics', count: metrics, dollars: metrics * cloudWatch.metricMonth },
    { name: 'metrics that alarms look at', count: alarmMetrics, dollars: alarmMetrics * cloudWatch.alarmMonth },
    { name: 'KMS key', count: keys, dollars: keys * kmsKeyMonth },
    { name: 'turns of the clock: functions and table', count: turns, dollars: turns * perTurn },
    { name: 'their traces', count: turns, dollars: turns * xray.perTrace },
    {
      name: 'their log lines',
      count: turns,
      dollars: ((turns * assumed.logKbPerTurn) / 1e6) * cloudWatch.logGb,
    },
    { name: 'GB of images', count: assumed.imageGb, dollars: assumed.imageGb * ecrGbMonth },
  ];
}

function turnsPerMonth({ Properties }: Resource): number {
  const schedule = Properties?.ScheduleExpression;
  if (schedule === undefined) return 0;
  const minutes = Number(/^rate\((\d+) minutes?\)$/.exec(String(schedule))?.[1]);
  if (!minutes) throw new Error(`the model knows no ${schedule}`);
  return minutesPerMonth / minutes;
}

/** An alarm over an expression is billed for each metric in it. */
function metricsOf({ Properties }: Resource): number {
  const metrics = Properties?.Metrics as { MetricStat?: unknown }[] | undefined;
  return metrics ? metrics.filter(({ MetricStat }) => MetricStat !== undefined).length : 1;
}
