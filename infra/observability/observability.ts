import { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { type AlarmDefinition, alarmDefinitions } from './alarms.ts';
import { dashboardWidgets } from './dashboard.ts';
import type { ObservedResources } from './observed-resources.ts';

const comparisonOperators = {
  '>=': cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  '<': cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
} as const;

/** Percent of the budget. The forecast comes weeks earlier than the costs, but not in the first weeks of an account. */
const budgetNotifications = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/** The alarms, the dashboard and the budget of a stage. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, resources: ObservedResources) {
    super(scope, id);
    const { settings } = resources;
    const alarms = this.#alarms(settings, alarmDefinitions(resources));
    this.#budget(settings);
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: `video-service-${settings.stage}`,
      widgets: dashboardWidgets(resources, alarms),
    });
  }

  #alarms(settings: Settings, definitions: readonly AlarmDefinition[]): cloudwatch.Alarm[] {
    const notify = settings.alarmEmail === null ? undefined : this.#emailAction(settings.alarmEmail);
    return definitions.map(({ id, metric, threshold, evaluationPeriods = 1, comparison = '>=', ...definition }) => {
      const alarm = new cloudwatch.Alarm(this, id, {
        alarmName: `video-service-${settings.stage}-${id}`,
        alarmDescription: `${definition.description} What to do: docs/runbook.md#alarm-${id.toLowerCase()}`,
        metric,
        threshold,
        evaluationPeriods,
        comparisonOperator: comparisonOperators[comparison],
        treatMissingData:
          definition.missingData === 'breaching'
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

  /**
   * Of the whole account: the tag of the stage would divide the costs only after the owner of the bill activated it. It
   * has no name of ours, because CloudFormation replaces a budget whose notifications change.
   */
  #budget({ monthlyBudget, alarmEmail }: Settings): void {
    if (monthlyBudget === null || alarmEmail === null) return;
    new CfnBudget(this, 'Budget', {
      budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: monthlyBudget, unit: 'USD' } },
      notificationsWithSubscribers: budgetNotifications.map((notification) => ({
        notification: { comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE', ...notification },
        subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
      })),
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
