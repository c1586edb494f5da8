import { expect, test } from 'vitest';
import { templateOf } from '../synthesised.ts';

type Statement = { Action: string | string[]; Resource: unknown; Condition?: object };

const template = templateOf('prod', { storeWebhook: true });
const statementsByRole = Object.values(template.findResources('AWS::IAM::Policy')).map(
  ({ Properties }) => Properties.PolicyDocument.Statement as Statement[],
);
const keyNamed = (alias: string): string =>
  Object.values(template.findResources('AWS::KMS::Alias')).find(({ Properties }) => Properties.AliasName === alias)!
    .Properties.TargetKeyId['Fn::GetAtt'][0];
const secretsKey = keyNamed('alias/video-service-prod-secrets');

const actionsOf = ({ Action }: Statement): string[] => [Action].flat();
const decryptsOf = (statements: Statement[]): Statement[] =>
  statements.filter(
    (one) => actionsOf(one).includes('kms:Decrypt') && JSON.stringify(one.Resource).includes(secretsKey),
  );
const read = (statements: Statement[]): string =>
  statements
    .filter((one) => actionsOf(one).some((action) => /^ssm:GetParameters?$/.test(action)))
    .map(({ Resource }) => JSON.stringify(Resource))
    .join();

test('a role that reads a secret may decrypt it with the key of the stage', () => {
  const readers = statementsByRole.filter((one) =>
    /signing-keys|webhook-key|worker-token|store-webhook-secret|replay-key/.test(read(one)),
  );
  expect(readers.length).toBeGreaterThan(8);
  for (const reader of readers) expect(decryptsOf(reader)).toHaveLength(1);
});

test('no other role may use the key of the secrets, and functions only through Parameter Store', () => {
  const users = statementsByRole.filter((one) => JSON.stringify(one).includes(secretsKey));
  for (const user of users) expect(read(user)).toMatch(/parameter\/video-service\/prod\/(?!origin-secret|ssh-keys)/);
  const unlimited = users.flatMap(decryptsOf).filter(({ Condition }) => Condition === undefined);
  // ECS reads the token of the workers for a task that starts.
  expect(unlimited).toHaveLength(1);
});

test('the function that is invoked at deployments writes its secret under the key of the account', () => {
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  const keyOf = (name: string): unknown =>
    functions.find(({ Properties }) => Properties.FunctionName === `video-service-prod-${name}`)!.Properties.Environment
      .Variables.PARAMETERS_KMS_KEY;
  expect(keyOf('origin-secret')).toBe(undefined);
  expect(keyOf('setup')).toEqual({ 'Fn::GetAtt': [secretsKey, 'Arn'] });
  expect(keyOf('rotate-keys')).toEqual({ 'Fn::GetAtt': [secretsKey, 'Arn'] });
});
