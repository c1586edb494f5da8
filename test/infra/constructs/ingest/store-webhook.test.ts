import { expect, test } from 'vitest';
import { templateOf } from '../../synthesised.ts';

const routesOf = (overrides: object): string[] =>
  Object.values(templateOf('dev', overrides).findResources('AWS::ApiGatewayV2::Route')).map(
    ({ Properties }) => Properties.RouteKey,
  );

test('the notifications of a store are accepted only while the setting is on', () => {
  const path = 'ANY /api/store-events';
  expect(routesOf({})).not.toContain(path);
  expect(routesOf({ storeWebhook: true })).toContain(path);
});

test('the function may start the state machine and read its secret, and has no access to table and bucket', () => {
  const policies = Object.values(templateOf('dev', { storeWebhook: true }).findResources('AWS::IAM::Policy'));
  const own = policies.filter(({ Properties }) => /^StoreWebhook/.test(Properties.Roles[0].Ref));
  const actions = own.flatMap(({ Properties }) =>
    Properties.PolicyDocument.Statement.flatMap(({ Action }: { Action: string | string[] }) => Action),
  );
  expect(actions.toSorted()).toEqual([
    'kms:Decrypt',
    'logs:CreateLogStream',
    'logs:PutLogEvents',
    'ssm:GetParameter',
    'states:StartExecution',
  ]);
});
