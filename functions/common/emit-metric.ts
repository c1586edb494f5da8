import { now } from '../../shared/clock.ts';
import { env } from '../../shared/environment.ts';
import { type MetricName, metricFact, metricNamespace } from '../../shared/metrics.ts';
import { log } from './log.ts';

/**
 * Notes a number for CloudWatch as a log line in its embedded metric format: no call, no right, no cost but the line. Lines below the log level are not
 * written, and with them no metric.
 *
 * @param apart what the metric is told apart by, such as a kind of job; the sum over all is noted in the same line
 */
export function emitMetric(name: MetricName, value: number, apart?: string): void {
  const { unit, by } = metricFact(name);
  const isApart = by !== undefined && apart !== undefined;
  log.info('metric', {
    _aws: {
      Timestamp: now(),
      CloudWatchMetrics: [
        {
          Namespace: metricNamespace,
          Dimensions: [['Stage'], ...(isApart ? [['Stage', by]] : [])],
          Metrics: [{ Name: name, Unit: unit }],
        },
      ],
    },
    Stage: env('STAGE'),
    ...(isApart && { [by]: apart }),
    [name]: value,
  });
}
