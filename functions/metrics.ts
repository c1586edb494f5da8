import { now } from '../shared/clock.ts';
import { env } from '../shared/env.ts';
import { log } from '../shared/log.ts';

/**
 * Notes a number for CloudWatch as a log line in its embedded metric format: no call, no right, no cost but the line. Lines below the log level are not
 * written, and with them no metric.
 */
export function noteMetric(name: string, unit: 'Seconds' | 'Count', value: number): void {
  log.info('metric', {
    _aws: {
      Timestamp: now(),
      CloudWatchMetrics: [
        { Namespace: 'VideoService', Dimensions: [['Stage']], Metrics: [{ Name: name, Unit: unit }] },
      ],
    },
    Stage: env('STAGE'),
    [name]: value,
  });
}
