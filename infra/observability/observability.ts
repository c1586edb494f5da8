import { Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { type AlarmFact, alarmFacts } from './alarms.ts';
import { dashboardWidgets } from './dashboard.ts';
import type { ObservedResources } from './observed-resources.ts';

const comparisonOperators = {
  '>=': cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  '<': cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
} as const;

/** The alarms and the dashboard of a stage. */
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
    const notify = settings.alarmEmail === null ? undefined : this.#emailAction(settings.alarmEmail);
    return facts.map(({ id, metric, threshold, evaluationPeriods = 1, comparison = '>=', ...fact }) => {
      const alarm = new cloudwatch.Alarm(this, id, {
        alarmName: `video-service-${settings.stage}-${id}`,
        alarmDescription: `${fact.description} What to do: docs/runbook.md#alarm-${id.toLowerCase()}`,
        metric,
        threshold,
        evaluationPeriods,
        comparisonOperator: comparisonOperators[comparison],
        treatMissingData:
          fact.missingData === 'breaching'
            ? cloudwatch.TreatMissingData.BREACHING
            : cloudwatch.TreatMissingData.NOT_BREACHING,
      });
      if (notify) {
        alarm.addAlarmAction(notify);
        alarm.addOkAction(notify);
      }
      return alarm;
    });
  }

  #emailAction(address: string): SnsAction {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    // `enforceSSL` creates a topic policy, which replaces the default one that lets the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    topic.addSubscription(new EmailSubscription(address));
    return new SnsAction(topic);
  }
}
