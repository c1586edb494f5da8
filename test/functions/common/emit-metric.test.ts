import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emitMetric } from '../../../functions/common/emit-metric.ts';
import { log } from '../../../functions/common/log.ts';
import { emitFailed } from '../../../functions/runs/video-run/video-metrics.ts';
import type { Video } from '../../../functions/table/records.ts';
import { metricDefinition, metrics } from '../../../shared/metrics.ts';

const lines: Record<string, unknown>[] = [];
beforeEach(() => {
  lines.length = 0;
  log.setLogLevel('INFO');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    for (const line of String(text)
      .split('\n')
      .filter((part) => part.startsWith('{')))
      lines.push(JSON.parse(line));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  log.setLogLevel('SILENT');
});

test('a metric is a log line in the embedded metric format', () => {
  emitMetric('QueuedJobs', 12);
  expect(lines).toMatchObject([
    {
      Stage: 'test',
      QueuedJobs: 12,
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          { Namespace: 'VideoService', Dimensions: [['Stage']], Metrics: [{ Name: 'QueuedJobs', Unit: 'Count' }] },
        ],
      },
    },
  ]);
});

test('a dimension adds a second metric beside the sum', () => {
  emitMetric('JobSeconds', 3.5, 'probe');
  expect(lines).toMatchObject([
    {
      JobKind: 'probe',
      JobSeconds: 3.5,
      _aws: { CloudWatchMetrics: [{ Dimensions: [['Stage'], ['Stage', 'JobKind']] }] },
    },
  ]);
});

const video = { ulid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3', planNumber: 2 } as Video;
const noted = () => lines.flatMap((line) => Object.keys(metrics).filter((name) => name in line));

test('a failure caused by the source is not counted as a failure of the service', () => {
  emitFailed(video, 'INPUT_NOT_MEDIA: This is no video.');
  expect(lines).toMatchObject([{ Code: 'INPUT_NOT_MEDIA', VideoFailures: 1 }]);
  emitFailed(video, 'OUTPUT_NO_STREAMS: The template has no output for this source.');
  expect(noted()).toEqual(['VideoFailures', 'VideoFailures']);
});

test('failures of the service are counted separately, including unknown codes', () => {
  emitFailed(video, 'ENCODER_STALLED: The service failed to process this video.');
  emitFailed(video, 'UNEXPECTED');
  expect(lines.flatMap(({ Code }) => Code ?? [])).toEqual(['ENCODER_STALLED', 'INTERNAL']);
  expect(noted()).toEqual(['VideoFailures', 'ServiceFailures', 'VideoFailures', 'ServiceFailures']);
});

test('no dimension grows with users or videos', () => {
  const names = Object.keys(metrics) as (keyof typeof metrics)[];
  expect(new Set(names.map((name) => metricDefinition(name).dimension))).toEqual(
    new Set([undefined, 'JobKind', 'Code']),
  );
});
