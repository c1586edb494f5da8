import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { type AlarmFact, alarmFacts } from './alarms.ts';
import { dashboardWidgets } from './dashboard.ts';
import type { ObservedResources } from './observed-resources.ts';

/** What an operator is told, and one page to look at. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, resources: ObservedResources) {
    super(scope, id);
    const { settings } = resources;
    const alarms = this.#alarms(settings, alarmFacts(resources));
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: `video-service-${settings.stage}`,
      widgets: dashboardWidgets(resources, alarms),
    });
  }

  #alarms(settings: Settings, facts: readonly AlarmFact[]): cloudwatch.Alarm[] {
    const notify = settings.alarmEmail === null ? undefined : this.#mail(settings.alarmEmail);
    return facts.map(({ id, metric, threshold, periods = 1, alarming, meaning }) => {
      const alarm = new cloudwatch.Alarm(this, id, {
        alarmName: `video-service-${settings.stage}-${id}`,
        alarmDescription: meaning,
        metric,
        threshold,
        evaluationPeriods: periods,
        comparisonOperator:
          alarming === undefined
            ? cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
            : cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData:
          alarming === 'too little, and nothing most of all'
            ? cloudwatch.TreatMissingData.BREACHING
            : cloudwatch.TreatMissingData.NOT_BREACHING,
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
}
