import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { earlyWorkerHandler } from '../images/image-names.ts';
import type { ObservedResources } from './observed-resources.ts';
import { functionMetric, serviceMetric, serviceMetricOfValue } from './service-metric.ts';

export type AlarmDefinition = {
  /** name of the alarm and of its section in docs/runbook.md */
  id: string;
  /** one or two sentences for the operator: what happened and what it means */
  description: string;
  metric: cloudwatch.IMetric;
  threshold: number;
  /** consecutive periods that must breach the threshold; 1 by default */
  evaluationPeriods?: number;
  /** `>=` by default */
  comparison?: '>=' | '<';
  /** whether a period without data breaches the threshold; `not breaching` by default */
  missingData?: 'breaching' | 'not breaching';
};

const scheduledFunctions = [
  'reap',
  'check-nodes',
  'reconcile',
  'sweep',
  'rotate-keys',
  'continue-ingests',
  'continue-transcriptions',
  'dispatch',
  'send',
  'count-accesses',
];

/** The alarms of a stage. docs/runbook.md has a section for each, which says what to do. */
export function alarmDefinitions(resources: ObservedResources): AlarmDefinition[] {
  const { settings, pipeline, delivery, api, webhooks, earlyWorker } = resources;
  const hasEarlyWorker = earlyWorker.functionName !== undefined;
  const over = (minutes: number) => ({ period: Duration.minutes(minutes) });
  const sum = (minutes: number) => ({ minutes, statistic: cloudwatch.Stats.SUM });
  const { stateMachine, deadLetters } = pipeline;
  return [
    {
      id: 'LostEvents',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(over(5)),
      threshold: 1,
      description: 'EventBridge could not start the pipeline for an upload for a day. Reconcile retries it too.',
    },
    {
      id: 'UncountedLogs',
      metric: delivery.uncounted.metricApproximateNumberOfMessagesVisible(over(5)),
      threshold: 1,
      description: 'Access logs of a proxy could not be counted: analytics lack the traffic that they record.',
    },
    {
      id: 'UndispatchedEvents',
      metric: webhooks.undispatched.metricApproximateNumberOfMessagesVisible(over(5)),
      threshold: 1,
      description: 'The stream of the table could not pass events on to webhooks and the event bus.',
    },
    {
      id: 'EventsDelayed',
      metric: functionMetric(settings, 'dispatch', 'IteratorAge', 5, cloudwatch.Stats.MAXIMUM),
      threshold: 5 * 60_000,
      description: 'Changes wait for five minutes in the stream of the table before their events are passed on.',
    },
    {
      id: 'FailedVideos',
      metric: stateMachine.metricFailed(over(15)),
      threshold: 10,
      description: 'Ten videos failed within 15 minutes: more than a few damaged source files.',
    },
    {
      id: 'ServiceFailures',
      metric: serviceMetric(settings, 'ServiceFailures', sum(15)),
      threshold: 3,
      description: 'Three videos failed within 15 minutes after all retries, and their source files are not the cause.',
    },
    {
      id: 'StuckVideos',
      metric: stateMachine.metricTimedOut(over(15)),
      threshold: 1,
      description: 'An execution reached its time limit: one of its jobs was never taken or never finished.',
    },
    {
      id: 'JobsDelayed',
      metric: serviceMetric(settings, 'OldestQueuedJobSeconds', { minutes: 1, statistic: cloudwatch.Stats.MAXIMUM }),
      threshold: 1800,
      evaluationPeriods: 5,
      description: 'A job has been queued for half an hour: no worker node is active and no Fargate task starts.',
    },
    {
      id: 'TasksNotStarted',
      metric: serviceMetric(settings, 'TasksNotStarted', sum(5)),
      threshold: 1,
      evaluationPeriods: 3,
      description: 'ECS has refused to start tasks for 15 minutes: a quota, missing capacity, or a missing image.',
    },
    ...(hasEarlyWorker ? [earlyWorkerErrors(resources)] : []),
    {
      id: 'SchedulerStopped',
      metric: functionMetric(settings, 'reap', 'Invocations', 5),
      threshold: 1,
      evaluationPeriods: 2,
      comparison: '<',
      missingData: 'breaching',
      description: 'The schedule does not run: expired leases are not requeued and no tasks start for queued jobs.',
    },
    {
      id: 'SchedulerErrors',
      metric: new cloudwatch.MathExpression({
        expression: 'SUM(METRICS())',
        usingMetrics: Object.fromEntries(
          scheduledFunctions.map((name, index) => [`m${index}`, functionMetric(settings, name, 'Errors', 15)]),
        ),
        label: 'errors of scheduled functions',
        ...over(15),
      }),
      threshold: 3,
      description: 'Scheduled functions failed three times within 15 minutes.',
    },
    {
      // Not one of the others: an alarm has at most ten metrics.
      id: 'StorageDeliveryErrors',
      metric: functionMetric(settings, 'continue-storage-deliveries', 'Errors', 15),
      threshold: 3,
      description: 'The function that continues storage deliveries failed three times within 15 minutes.',
    },
    {
      id: 'NodeFailed',
      metric: serviceMetric(settings, 'FailedNodes', { minutes: 5, statistic: cloudwatch.Stats.MINIMUM }),
      threshold: 1,
      evaluationPeriods: 2,
      description: 'A registered node has been failed for ten minutes: it is unreachable, or a step on it failed.',
    },
    // With an edge, which then delivers all videos, nothing is wrong without proxies.
    settings.delivery === 'proxies' ? noActiveProxy(resources) : edgeFails(resources),
    ...(settings.delivery === 'edge' ? [] : [proxiesFail(resources)]),
    {
      id: 'HostKeyChanged',
      metric: serviceMetricOfValue(settings, 'NodeErrors', 'SSH_HOST_KEY_CHANGED', sum(5)),
      threshold: 1,
      description: 'A server presented another SSH host key than the pinned one: it was reinstalled or impersonated.',
    },
    {
      id: 'CertificateExpires',
      metric: serviceMetric(settings, 'CertificateDaysLeft', { minutes: 60, statistic: cloudwatch.Stats.MINIMUM }),
      threshold: 14,
      comparison: '<',
      description: 'The certificate of a proxy expires within 14 days. It should have been renewed 30 days before.',
    },
    {
      id: 'ManyRepairs',
      metric: serviceMetric(settings, 'Repaired', sum(60)),
      threshold: 20,
      description: 'Reconcile made twenty repairs within an hour. No data is lost, but events or processes are.',
    },
    {
      id: 'ApiErrors',
      metric: api.api.metricServerError({ statistic: cloudwatch.Stats.SUM, ...over(5) }),
      threshold: 5,
      evaluationPeriods: 2,
      description: 'The API answered with 5xx five times within 5 minutes, in two consecutive periods.',
    },
    {
      id: 'Throttled',
      metric: hasEarlyWorker ? throttlesOfOthers(resources) : allThrottles,
      threshold: 1,
      evaluationPeriods: 3,
      description: "The account's Lambda concurrency is exhausted. Request a higher quota.",
    },
  ];
}

const noActiveProxy = ({ settings }: ObservedResources): AlarmDefinition => ({
  id: 'NoActiveProxy',
  metric: serviceMetric(settings, 'ActiveProxies', { minutes: 5, statistic: cloudwatch.Stats.MAXIMUM }),
  threshold: 1,
  comparison: '<',
  description: 'No proxy node is active: /sources answers 503 and videos do not play.',
});

const edgeFails = ({ settings }: ObservedResources): AlarmDefinition => ({
  id: 'EdgeFails',
  metric: serviceMetric(settings, 'EdgeDelivers', { minutes: 1, statistic: cloudwatch.Stats.MAXIMUM }),
  threshold: 1,
  evaluationPeriods: 5,
  comparison: '<',
  description: 'The edge has not delivered a test file for five minutes: videos probably play for no viewer.',
});

const proxiesFail = ({ settings }: ObservedResources): AlarmDefinition => ({
  id: 'ProxiesFail',
  metric: serviceMetric(settings, 'ProxiesDeliver', { minutes: 1, statistic: cloudwatch.Stats.MINIMUM }),
  threshold: 1,
  evaluationPeriods: 5,
  comparison: '<',
  description: 'An active proxy has not delivered a test file for five minutes: its viewers probably see no video.',
});

const earlyWorkerErrors = ({ settings }: ObservedResources): AlarmDefinition => ({
  id: 'EarlyWorkerErrors',
  metric: new cloudwatch.MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: {
      failed: functionMetric(settings, earlyWorkerHandler, 'Errors', 15),
      refused: serviceMetric(settings, 'EarlyWorkersNotInvoked', { minutes: 15, statistic: cloudwatch.Stats.SUM }),
    },
    label: 'failed and refused invocations of the early worker',
    period: Duration.minutes(15),
  }),
  threshold: 3,
  description: 'The early worker failed three times within 15 minutes: new videos play a minute later.',
});

const allThrottles = new cloudwatch.Metric({
  namespace: 'AWS/Lambda',
  metricName: 'Throttles',
  statistic: cloudwatch.Stats.SUM,
  period: Duration.minutes(5),
});

/** The early worker has a concurrency of its own, which many uploads at a time may exceed. */
const throttlesOfOthers = ({ settings }: ObservedResources): cloudwatch.MathExpression =>
  new cloudwatch.MathExpression({
    expression: 'all - FILL(early, 0)',
    usingMetrics: { all: allThrottles, early: functionMetric(settings, earlyWorkerHandler, 'Throttles', 5) },
    label: 'throttled invocations of all functions but the early worker',
    period: Duration.minutes(5),
  });
