import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { ObservedResources } from './observed-resources.ts';
import { serviceMetric, serviceMetricApart } from './service-metric.ts';

const { SUM, MAXIMUM } = cloudwatch.Stats;
const rowWidth = 24;

/** One page, read from top to bottom: is anything wrong, do videos get through, what do they wait for, what do callers see, what does it cost, which nodes are well. */
export function dashboardWidgets(resources: ObservedResources, alarms: cloudwatch.IAlarm[]): cloudwatch.IWidget[][] {
  return [
    [new cloudwatch.AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: rowWidth })],
    videos(resources),
    work(resources),
    callers(resources),
    nodes(resources),
    [lastFailures(resources)],
  ];
}

function videos({ settings, pipeline: { stateMachine } }: ObservedResources): cloudwatch.IWidget[] {
  const over = (label: string) => ({ period: Duration.minutes(15), statistic: SUM, label });
  const waited = (statistic: string) =>
    serviceMetric(settings, 'UploadToCompletedSeconds', { minutes: 15, statistic, label: statistic });
  return row([
    graph('Videos', [
      stateMachine.metricStarted(over('started')),
      stateMachine.metricSucceeded(over('succeeded')),
      stateMachine.metricFailed(over('failed')),
    ]),
    graph('Seconds from upload to a video that plays', [waited('p50'), waited('p90')]),
    graph('Failed videos by code', [serviceMetricApart(settings, 'VideoFailures', { minutes: 15, statistic: SUM })]),
  ]);
}

function work({ settings }: ObservedResources): cloudwatch.IWidget[] {
  const queue = (name: 'QueuedJobs' | 'OldestQueuedJobSeconds', label: string) =>
    serviceMetric(settings, name, { minutes: 1, statistic: MAXIMUM, label });
  const speed = (statistic: string) =>
    serviceMetric(settings, 'EncodeSpeed', { minutes: 15, statistic, label: statistic });
  return row([
    graph('Queue', [queue('QueuedJobs', 'jobs')], [queue('OldestQueuedJobSeconds', 'seconds the oldest waits')]),
    graph('Seconds of source that a worker encodes in one', [speed('p50'), speed('p10')]),
    graph('Seconds of jobs by kind, p90', [
      serviceMetricApart(settings, 'JobSeconds', { minutes: 15, statistic: 'p90' }),
    ]),
    graph('Failed attempts of jobs by code', [
      serviceMetricApart(settings, 'JobFailures', { minutes: 15, statistic: SUM }),
    ]),
  ]);
}

function callers({ settings, api: { api } }: ObservedResources): cloudwatch.IWidget[] {
  const count = (label: string) => ({ period: Duration.minutes(5), statistic: SUM, label });
  const latency = (statistic: string) =>
    api.metricLatency({ period: Duration.minutes(5), statistic, label: statistic });
  const daily = (name: 'EncodeDollars' | 'Repaired' | 'TasksNotStarted', label: string) =>
    serviceMetric(settings, name, { minutes: 24 * 60, statistic: SUM, label });
  const perVideo = serviceMetric(settings, 'EncodeDollars', {
    minutes: 24 * 60,
    statistic: cloudwatch.Stats.AVERAGE,
    label: 'a video',
  });
  return row([
    graph('Requests', [
      api.metricCount(count('all')),
      api.metricClientError(count('4xx')),
      api.metricServerError(count('5xx')),
    ]),
    graph('Milliseconds of an answer', [latency('p50'), latency('p99')]),
    graph('Dollars of encoding, as on Fargate', [daily('EncodeDollars', 'a day')], [perVideo]),
    graph('A day', [daily('Repaired', 'mended'), daily('TasksNotStarted', 'tasks not started')]),
  ]);
}

function nodes({ settings }: ObservedResources): cloudwatch.IWidget[] {
  const now = (name: 'FailedNodes' | 'ActiveProxies', label: string) =>
    serviceMetric(settings, name, { minutes: 5, statistic: MAXIMUM, label });
  const days = serviceMetric(settings, 'CertificateDaysLeft', { minutes: 60, statistic: cloudwatch.Stats.MINIMUM });
  return row([
    graph('Nodes', [now('ActiveProxies', 'active proxies'), now('FailedNodes', 'failed nodes')]),
    graph('Failed steps on nodes by code', [
      serviceMetricApart(settings, 'NodeErrors', { minutes: 15, statistic: SUM }),
    ]),
    graph('Days until the first certificate of a proxy ends', [days]),
  ]);
}

const lastFailures = ({ settings: { stage } }: ObservedResources): cloudwatch.IWidget =>
  new cloudwatch.LogQueryWidget({
    title: 'Videos that failed last',
    width: rowWidth,
    logGroupNames: [`/aws/lambda/video-service-${stage}-fail`],
    queryLines: [
      'fields @timestamp, video, run, error.Error, error.Cause',
      "filter message = 'video failed'",
      'sort @timestamp desc',
      'limit 20',
    ],
  });

type Graph = (width: number) => cloudwatch.GraphWidget;

const graph =
  (title: string, left: cloudwatch.IMetric[], right: cloudwatch.IMetric[] = []): Graph =>
  (width) =>
    new cloudwatch.GraphWidget({ title, width, left, right });

const row = (graphs: Graph[]): cloudwatch.IWidget[] => graphs.map((make) => make(rowWidth / graphs.length));
