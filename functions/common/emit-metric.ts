import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { type MetricName, metricDefinition, metricNamespace } from '../../shared/metrics.ts';
import { log } from './log.ts';

/**
 * Emits a metric as a log line in the embedded metric format of CloudWatch, which needs no call and no permission.
 * Lines below the log level are not written, so a higher level turns the metrics off.
 *
 * @param dimensionValue such as a kind of job, for a metric that has a dimension; the line also counts for the total
 */
export function emitMetric(name: MetricName, value: number, dimensionValue?: string): void {
  const { unit, dimension } = metricDefinition(name);
  const hasDimension = dimension !== undefined && dimensionValue !== undefined;
  log.info('metric', {
    _aws: {
      Timestamp: now(),
      CloudWatchMetrics: [
        {
          Namespace: metricNamespace,
          Dimensions: [['Stage'], ...(hasDimension ? [['Stage', dimension]] : [])],
          Metrics: [{ Name: name, Unit: unit }],
        },
      ],
    },
    Stage: readEnvironment('STAGE'),
    ...(hasDimension && { [dimension]: dimensionValue }),
    [name]: value,
  });
}
