import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Pipeline } from './pipeline.ts';
import type { Settings } from './settings.ts';

type Alarm = { id: string; metric: cloudwatch.IMetric; threshold: number; periods?: number; meaning: string };

/** What an operator is told, and one page to look at. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, { settings, pipeline }: { settings: Settings; pipeline: Pipeline }) {
    super(scope, id);
    const { stateMachine, deadLetters } = pipeline;
    const minutes = (count: number) => ({ period: Duration.minutes(count) });
    // Written by the reaper each minute as a log line in the embedded metric format.
    const oldestJob = new cloudwatch.Metric({
      namespace: 'VideoService',
      metricName: 'OldestQueuedJobSeconds',
      dimensionsMap: { Stage: settings.stage },
      statistic: cloudwatch.Stats.MAXIMUM,
      ...minutes(1),
    });
    const throttles = new cloudwatch.Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Throttles',
      statistic: cloudwatch.Stats.SUM,
      ...minutes(5),
    });
    const failed = stateMachine.metricFailed(minutes(15));
    const alarms: Alarm[] = [
      {
        id: 'LostEvents',
        metric: deadLetters.metricApproximateNumberOfMessagesVisible(minutes(5)),
        threshold: 1,
        meaning: 'An upload could not start the pipeline for a day. The reconciler tries too; see the message for why.',
      },
      {
        id: 'FailedVideos',
        metric: failed,
        threshold: 10,
        meaning: 'Ten videos failed in 15 minutes. One can be a bad file, ten are seldom.',
      },
      {
        id: 'StuckVideos',
        metric: stateMachine.metricTimedOut(minutes(15)),
        threshold: 1,
        meaning: 'A video used up all the time an execution has: a job was queued that nobody took or ended.',
      },
      {
        id: 'Throttled',
        metric: throttles,
        threshold: 1,
        periods: 3,
        meaning: "The account's Lambda concurrency is used up; ask for more.",
      },
      {
        id: 'JobsWait',
        metric: oldestJob,
        threshold: 1800,
        periods: 5,
        meaning: 'A job has waited for half an hour: no node is alive and no Fargate task starts.',
      },
    ];
    this.#dashboard(settings, this.#alarms(settings, alarms), [
      [
        stateMachine.metricStarted(minutes(5)),
        stateMachine.metricSucceeded(minutes(5)),
        stateMachine.metricFailed(minutes(5)),
      ],
      [stateMachine.metricTime(minutes(5))],
      [oldestJob],
      [throttles],
    ]);
  }

  #alarms(settings: Settings, alarms: readonly Alarm[]): cloudwatch.Alarm[] {
    const notify = settings.alarmEmail === null ? undefined : this.#mail(settings.alarmEmail);
    return alarms.map(({ id, metric, threshold, periods = 1, meaning }) => {
      const alarm = new cloudwatch.Alarm(this, id, {
        alarmName: `video-service-${settings.stage}-${id}`,
        alarmDescription: meaning,
        metric,
        threshold,
        evaluationPeriods: periods,
        comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      });
      if (notify) alarm.addAlarmAction(notify);
      return alarm;
    });
  }

  #mail(address: string): SnsAction {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    return new SnsAction(topic);
  }

  #dashboard(settings: Settings, alarms: cloudwatch.Alarm[], graphs: cloudwatch.IMetric[][]): void {
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: `video-service-${settings.stage}`,
      widgets: [
        [new cloudwatch.AlarmStatusWidget({ title: 'Alarms', alarms, width: 24 })],
        graphs.map((left) => new cloudwatch.GraphWidget({ left, width: 24 / graphs.length })),
      ],
    });
  }
}
