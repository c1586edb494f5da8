import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { ObservedResources } from './observed-resources.ts';
import { functionMetric, serviceMetric, serviceMetricOf } from './service-metric.ts';

export type AlarmFact = {
  /** names the alarm, and its section in docs/operations.md */
  id: string;
  /** one or two sentences for whoever is woken by it */
  meaning: string;
  metric: cloudwatch.IMetric;
  threshold: number;
  /** periods in a row, 1 unless said otherwise */
  periods?: number;
  /** what is alarming; too much, unless said otherwise */
  alarming?: 'too little' | 'too little, and nothing most of all';
};

const clockwork = ['reap', 'check-nodes', 'reconcile', 'sweep', 'rotate-keys'];

/** What an operator is told. What to do then is in docs/operations.md, a section for each. */
export function alarmFacts({ settings, pipeline, delivery, api }: ObservedResources): AlarmFact[] {
  const over = (minutes: number) => ({ period: Duration.minutes(minutes) });
  const sum = (minutes: number) => ({ minutes, statistic: cloudwatch.Stats.SUM });
  const { stateMachine, deadLetters } = pipeline;
  return [
    {
      id: 'LostEvents',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(over(5)),
      threshold: 1,
      meaning: 'An upload could not start the pipeline for a day. The reconciler tries too; the message says why.',
    },
    {
      id: 'UncountedLogs',
      metric: delivery.uncounted.metricApproximateNumberOfMessagesVisible(over(5)),
      threshold: 1,
      meaning: 'Access logs of a proxy could not be counted, so that the analytics lack what it delivered.',
    },
    {
      id: 'FailedVideos',
      metric: stateMachine.metricFailed(over(15)),
      threshold: 10,
      meaning: 'Ten videos failed in 15 minutes. One can be a bad file, ten are seldom.',
    },
    {
      id: 'ServiceFailures',
      metric: serviceMetric(settings, 'ServiceFailures', sum(15)),
      threshold: 3,
      meaning: 'Three videos failed in 15 minutes through no fault of their sources, all tries used up.',
    },
    {
      id: 'StuckVideos',
      metric: stateMachine.metricTimedOut(over(15)),
      threshold: 1,
      meaning: 'A video used up all the time an execution has: a job was queued that nobody took or ended.',
    },
    {
      id: 'JobsDelayed',
      metric: serviceMetric(settings, 'OldestQueuedJobSeconds', { minutes: 1, statistic: cloudwatch.Stats.MAXIMUM }),
      threshold: 1800,
      periods: 5,
      meaning: 'A job has waited for half an hour: no node is alive and no Fargate task starts.',
    },
    {
      id: 'TasksNotStarted',
      metric: serviceMetric(settings, 'TasksNotStarted', sum(5)),
      threshold: 1,
      periods: 3,
      meaning: 'ECS has refused tasks for a quarter of an hour: a quota, no capacity, or no image.',
    },
    {
      id: 'SchedulerStopped',
      metric: functionMetric(settings, 'reap', 'Invocations', 5),
      threshold: 1,
      periods: 2,
      alarming: 'too little, and nothing most of all',
      meaning: 'The minute tick does not run: lost workers keep their jobs, and no tasks start for what waits.',
    },
    {
      id: 'SchedulerErrors',
      metric: new cloudwatch.MathExpression({
        expression: 'SUM(METRICS())',
        usingMetrics: Object.fromEntries(
          clockwork.map((name, index) => [`m${index}`, functionMetric(settings, name, 'Errors', 15)]),
        ),
        label: 'errors of what runs by the clock',
        ...over(15),
      }),
      threshold: 3,
      meaning: 'What runs by the clock failed three times in 15 minutes.',
    },
    {
      id: 'NodeFailed',
      metric: serviceMetric(settings, 'FailedNodes', { minutes: 5, statistic: cloudwatch.Stats.MINIMUM }),
      threshold: 1,
      periods: 2,
      meaning: 'A registered node has failed for ten minutes: it neither calls nor answers, or a step on it failed.',
    },
    {
      id: 'NoActiveProxy',
      metric: serviceMetric(settings, 'ActiveProxies', { minutes: 5, statistic: cloudwatch.Stats.MAXIMUM }),
      threshold: 1,
      alarming: 'too little',
      meaning: 'None of the proxies can deliver: nobody is sent to a video, and most likely none plays.',
    },
    {
      id: 'HostKeyChanged',
      metric: serviceMetricOf(settings, 'NodeErrors', 'SSH_HOST_KEY_CHANGED', sum(5)),
      threshold: 1,
      meaning: 'A server showed another host key than the pinned one: it was set up anew, or it is another server.',
    },
    {
      id: 'CertificateExpires',
      metric: serviceMetric(settings, 'CertificateDaysLeft', { minutes: 60, statistic: cloudwatch.Stats.MINIMUM }),
      threshold: 14,
      alarming: 'too little',
      meaning: 'The certificate of a proxy ends in two weeks. It should have been renewed two weeks ago.',
    },
    {
      id: 'ManyRepairs',
      metric: serviceMetric(settings, 'Repaired', sum(60)),
      threshold: 20,
      meaning: 'The reconciler mended twenty things in an hour. Nothing is lost, but something loses events.',
    },
    {
      id: 'ApiErrors',
      metric: api.api.metricServerError({ statistic: cloudwatch.Stats.SUM, ...over(5) }),
      threshold: 5,
      periods: 2,
      meaning: 'The API answered 5xx five times in 5 minutes, twice in a row.',
    },
    {
      id: 'Throttled',
      metric: new cloudwatch.Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Throttles',
        statistic: cloudwatch.Stats.SUM,
        ...over(5),
      }),
      threshold: 1,
      periods: 3,
      meaning: "The account's Lambda concurrency is used up; ask for more.",
    },
  ];
}
