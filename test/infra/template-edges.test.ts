import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DeployedTemplate,
  deployedTemplate,
  type Template,
} from '../../infra/embedded-aws/template/deployed-template.ts';
import { readRoutes } from '../../infra/embedded-aws/template/read-routes.ts';
import { readRules } from '../../infra/embedded-aws/template/read-rules.ts';
import { templateOf } from './synthesised.ts';

// Connections between resources that CloudFormation deploys although AWS then refuses to use them.

const place = { stackName: 'demo', region: 'eu-west-1', accountId: '123456789012', apiUrl: 'https://api.example.com' };
const domain = { name: 'video.example.com', certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/x' };

const stages = {
  dev: () => templateOf('dev', { alarmEmail: 'ops@example.com' }),
  prod: () => templateOf('prod', { alarmEmail: 'ops@example.com', domain }),
};

describe.each(Object.entries(stages))('in stage %s', (stage, synthesise) => {
  let template: DeployedTemplate;
  beforeAll(() => {
    template = deployedTemplate(synthesise().toJSON() as Template, place);
  });
  const properties = (type: string): Record<string, unknown>[] =>
    template.resources(type).map((resource) => resource.properties as Record<string, unknown>);

  test('every route of the API may invoke its function', () => {
    const routes = readRoutes(template);
    expect(routes.map(({ routeKey }) => routeKey)).toContain('$default');
    expect(routes.filter(({ permitted }) => !permitted)).toEqual([]);
  });

  test('every rule may invoke its function', () => {
    const targets = readRules(template).flatMap((rule) => rule.targets);
    expect(targets.length).toBeGreaterThan(4);
    expect(targets.filter(({ permitted }) => !permitted)).toEqual([]);
  });

  test('alarms may publish to their topic', () => {
    const topics = new Set(
      properties('AWS::CloudWatch::Alarm').flatMap(({ AlarmActions }) => AlarmActions as string[]),
    );
    expect(topics.size).toBe(1);
    const statements = properties('AWS::SNS::TopicPolicy').flatMap(
      ({ PolicyDocument }) => (PolicyDocument as { Statement: Record<string, unknown>[] }).Statement,
    );
    const publishers = statements.filter(
      ({ Effect, Action, Principal }) =>
        Effect === 'Allow' &&
        Action === 'sns:Publish' &&
        (Principal as { Service?: string }).Service === 'cloudwatch.amazonaws.com',
    );
    expect(publishers.map(({ Resource }) => Resource)).toEqual([...topics]);
  });

  test('Lambda does not retry a function that a schedule invokes again', () => {
    const configured = new Map(
      properties('AWS::Lambda::EventInvokeConfig').map((config) => [config.FunctionName, config.MaximumRetryAttempts]),
    );
    const scheduled = readRules(template)
      .filter(({ schedule }) => schedule !== undefined)
      .flatMap(({ targets }) => targets.map(({ arn }) => arn.split(':').at(-1)!));
    expect(scheduled.length).toBeGreaterThan(4);
    for (const name of scheduled) expect([name, configured.get(name)]).toEqual([name, 0]);
  });

  test('Lambda writes the log lines of the configured level', () => {
    const levels = properties('AWS::Lambda::Function').flatMap(({ Environment, LoggingConfig }) => {
      const { LOG_LEVEL } = (Environment as { Variables: { LOG_LEVEL?: string } }).Variables;
      const { ApplicationLogLevel } = LoggingConfig as { ApplicationLogLevel?: string };
      return LOG_LEVEL === undefined ? [] : [[LOG_LEVEL, ApplicationLogLevel]];
    });
    expect(levels.length).toBeGreaterThan(20);
    for (const [variable, configured] of levels) expect(configured).toBe(variable);
  });

  test('the API has one address', () => {
    expect(properties('AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: stage === 'prod' }]);
  });
});
