import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, metricDefinition, metricNamespace } from '../../shared/metrics.ts';
import type { Settings } from '../settings.ts';

type Aggregation = { minutes: number; statistic: string; label?: string };

/** A metric that functions emit in their logs, over all values of its dimension. */
export const serviceMetric = (
  { stage }: Settings,
  name: MetricName,
  { minutes, statistic, label }: Aggregation,
): cloudwatch.Metric =>
  new cloudwatch.Metric({
    namespace: metricNamespace,
    metricName: name,
    dimensionsMap: { Stage: stage },
    statistic,
    period: Duration.minutes(minutes),
    ...(label !== undefined && { label }),
  });

/** The metric with one line for each value of its dimension. Only for graphs: alarms do not support SEARCH. */
export function serviceMetricByDimension(
  { stage }: Settings,
  name: MetricName,
  { minutes, statistic }: Aggregation,
): cloudwatch.MathExpression {
  const search = `{${metricNamespace},Stage,${dimensionOf(name)}} MetricName="${name}" Stage="${stage}"`;
  return new cloudwatch.MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${minutes * 60})`,
    usingMetrics: {},
    label: '',
    period: Duration.minutes(minutes),
  });
}

/** The metric for one value of its dimension. */
export const serviceMetricOfValue = (
  settings: Settings,
  name: MetricName,
  value: string,
  aggregation: Aggregation,
): cloudwatch.Metric =>
  serviceMetric(settings, name, aggregation).with({
    dimensionsMap: { Stage: settings.stage, [dimensionOf(name)]: value },
  });

function dimensionOf(name: MetricName): string {
  const { dimension } = metricDefinition(name);
  if (dimension === undefined) throw new Error(`the metric ${name} has no dimension`);
  return dimension;
}

/** A Lambda metric of one function of the stage, by the name of its handler. */
export const functionMetric = (
  { stage }: Settings,
  handler: string,
  metricName: 'Errors' | 'Invocations' | 'IteratorAge' | 'Throttles',
  minutes: number,
  statistic: string = cloudwatch.Stats.SUM,
): cloudwatch.Metric =>
  new cloudwatch.Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: `video-service-${stage}-${handler}` },
    statistic,
    period: Duration.minutes(minutes),
  });
