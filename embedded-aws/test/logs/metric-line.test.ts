import { expect, test } from 'vitest';
import { metricProblem } from '../../src/logs/metric-line.ts';

const line = (more: object, values: object = { Stage: 'dev', Videos: 1 }): string =>
  JSON.stringify({
    _aws: {
      Timestamp: 1_790_000_000_000,
      CloudWatchMetrics: [{ Namespace: 'Service', Dimensions: [['Stage']], Metrics: [{ Name: 'Videos' }], ...more }],
    },
    ...values,
  });
const metrics = (count: number) => Array.from({ length: count }, () => ({ Name: 'Videos' }));
const dimensions = (count: number) => [Array.from({ length: count }, () => 'Stage')];

test.each([
  [line({}), undefined],
  ['a line without metrics', undefined],
  [line({ Metrics: metrics(100), Dimensions: dimensions(30) }), undefined],
  [line({ Metrics: metrics(101) }), 'Metrics'],
  [line({ Dimensions: dimensions(31) }), 'Dimensions'],
  [line({ Namespace: '' }), 'Namespace'],
  [line({}, { Videos: 1 }), 'the dimension Stage has no text'],
  [line({}, { Stage: 'dev', Videos: '1' }), 'the metric Videos has no number'],
  ['{"_aws": ', 'the line is not JSON'],
])('of the line %s CloudWatch reports %s', (text, problem) => {
  if (problem === undefined) expect(metricProblem(text)).toBeUndefined();
  else expect(metricProblem(text)).toContain(problem);
});
