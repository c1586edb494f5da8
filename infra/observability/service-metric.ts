import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, metricFact, metricNamespace } from '../../shared/metrics.ts';
import type { Settings } from '../settings.ts';

type Look = { minutes: number; statistic: string; label?: string };

/** One of the numbers that the functions note in their logs. */
export const serviceMetric = (
  { stage }: Settings,
  name: MetricName,
  { minutes, statistic, label }: Look,
): cloudwatch.Metric =>
  new cloudwatch.Metric({
    namespace: metricNamespace,
    metricName: name,
    dimensionsMap: { Stage: stage },
    statistic,
    period: Duration.minutes(minutes),
    ...(label !== undefined && { label }),
  });

/** The same, a line for each value of what it is told apart by. For graphs only: an alarm cannot search. */
export function serviceMetricApart(
  { stage }: Settings,
  name: MetricName,
  { minutes, statistic }: Look,
): cloudwatch.MathExpression {
  const { by } = metricFact(name);
  if (by === undefined) throw new Error(`${name} is told apart by nothing`);
  const search = `{${metricNamespace},Stage,${by}} MetricName="${name}" Stage="${stage}"`;
  return new cloudwatch.MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${minutes * 60})`,
    usingMetrics: {},
    label: '',
    period: Duration.minutes(minutes),
  });
}

/** The same, of one value of what it is told apart by. */
export function serviceMetricOf(settings: Settings, name: MetricName, value: string, look: Look): cloudwatch.Metric {
  const { by } = metricFact(name);
  if (by === undefined) throw new Error(`${name} is told apart by nothing`);
  return serviceMetric(settings, name, look).with({ dimensionsMap: { Stage: settings.stage, [by]: value } });
}

/** What Lambda counts of one function of the stage, by the name of its handler. */
export const functionMetric = (
  { stage }: Settings,
  handler: string,
  metricName: 'Errors' | 'Invocations',
  minutes: number,
): cloudwatch.Metric =>
  new cloudwatch.Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: `video-service-${stage}-${handler}` },
    statistic: cloudwatch.Stats.SUM,
    period: Duration.minutes(minutes),
  });
