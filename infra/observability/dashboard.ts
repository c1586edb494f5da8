import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { videoFailed, videoFailedHandlers } from '../../shared/log-lines.ts';
import type { ObservedResources } from './observed-resources.ts';
import { serviceMetric, serviceMetricByDimension } from './service-metric.ts';

const { SUM, MAXIMUM } = cloudwatch.Stats;
const rowWidth = 24;

/**
 * One page, read from top to bottom: alarms, finished and failed videos, the queue and the jobs, API requests and
 * costs, nodes, and the most recent failures.
 */
export function dashboardWidgets(resources: ObservedResources, alarms: cloudwatch.IAlarm[]): cloudwatch.IWidget[][] {
  return [
    [new cloudwatch.AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: rowWidth })],
    videos(resources),
    queueAndJobs(resources),
    apiAndCost(resources),
    nodes(resources),
    [recentFailures(resources)],
  ];
}

function videos({ settings, pipeline: { stateMachine } }: ObservedResources): cloudwatch.IWidget[] {
  const over = (label: string) => ({ period: Duration.minutes(15), statistic: SUM, label });
  const processing = (statistic: string) =>
    serviceMetric(settings, 'UploadToCompletedSeconds', { minutes: 15, statistic, label: statistic });
  return row([
    graph('Videos', [
      stateMachine.metricStarted(over('started')),
      stateMachine.metricSucceeded(over('succeeded')),
      stateMachine.metricFailed(over('failed')),
    ]),
    graph('Seconds from upload to completed', [processing('p50'), processing('p90')]),
    graph('Failed videos by code', [
      serviceMetricByDimension(settings, 'VideoFailures', { minutes: 15, statistic: SUM }),
    ]),
  ]);
}

function queueAndJobs({ settings }: ObservedResources): cloudwatch.IWidget[] {
  const queue = (name: 'QueuedJobs' | 'OldestQueuedJobSeconds', label: string) =>
    serviceMetric(settings, name, { minutes: 1, statistic: MAXIMUM, label });
  const speed = (statistic: string) =>
    serviceMetric(settings, 'EncodeSpeed', { minutes: 15, statistic, label: statistic });
  return row([
    graph('Queue', [queue('QueuedJobs', 'jobs')], [queue('OldestQueuedJobSeconds', 'age of the oldest in seconds')]),
    graph('Encoding speed of a worker, × real time', [speed('p50'), speed('p10')]),
    graph('Job duration in seconds by kind, p90', [
      serviceMetricByDimension(settings, 'JobSeconds', { minutes: 15, statistic: 'p90' }),
    ]),
    graph('Failed job attempts by code', [
      serviceMetricByDimension(settings, 'JobFailures', { minutes: 15, statistic: SUM }),
    ]),
  ]);
}

function apiAndCost({ settings, api: { api } }: ObservedResources): cloudwatch.IWidget[] {
  const count = (label: string) => ({ period: Duration.minutes(5), statistic: SUM, label });
  const latency = (statistic: string) =>
    api.metricLatency({ period: Duration.minutes(5), statistic, label: statistic });
  const daily = (name: 'EncodeDollars' | 'Repaired' | 'TasksNotStarted' | 'EarlyWorkersNotInvoked', label: string) =>
    serviceMetric(settings, name, { minutes: 24 * 60, statistic: SUM, label });
  const perVideo = serviceMetric(settings, 'EncodeDollars', {
    minutes: 24 * 60,
    statistic: cloudwatch.Stats.AVERAGE,
    label: 'per video',
  });
  return row([
    graph('Requests', [
      api.metricCount(count('all')),
      api.metricClientError(count('4xx')),
      api.metricServerError(count('5xx')),
    ]),
    graph('API latency in milliseconds', [latency('p50'), latency('p99')]),
    graph('Encoding cost in dollars at Fargate prices', [daily('EncodeDollars', 'per day')], [perVideo]),
    graph('Per day', [
      daily('Repaired', 'repairs'),
      daily('TasksNotStarted', 'tasks not started'),
      daily('EarlyWorkersNotInvoked', 'early workers not invoked'),
    ]),
  ]);
}

function nodes({ settings }: ObservedResources): cloudwatch.IWidget[] {
  const now = (name: 'FailedNodes' | 'ActiveProxies' | 'EdgeDelivers' | 'ProxiesDeliver', label: string) =>
    serviceMetric(settings, name, { minutes: 5, statistic: MAXIMUM, label });
  const daysLeft = serviceMetric(settings, 'CertificateDaysLeft', { minutes: 60, statistic: cloudwatch.Stats.MINIMUM });
  return row([
    graph('Nodes', [
      now('ActiveProxies', 'active proxies'),
      now('FailedNodes', 'failed nodes'),
      now('EdgeDelivers', 'the edge delivers'),
      now('ProxiesDeliver', 'all proxies deliver'),
    ]),
    graph('Failed node operations by code', [
      serviceMetricByDimension(settings, 'NodeErrors', { minutes: 15, statistic: SUM }),
    ]),
    graph('Days until the first proxy certificate expires', [daysLeft]),
  ]);
}

const recentFailures = ({ settings: { stage } }: ObservedResources): cloudwatch.IWidget =>
  new cloudwatch.LogQueryWidget({
    title: 'Most recent failed videos',
    width: rowWidth,
    logGroupNames: videoFailedHandlers.map((name) => `/aws/lambda/video-service-${stage}-${name}`),
    queryLines: [
      'fields @timestamp, video, planNumber, code, reason',
      `filter message = '${videoFailed}'`,
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
