import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { templateOf } from '../synthesised.ts';

const dev = templateOf('dev');

type Statement = { Action: string | string[]; Resource: unknown; Condition?: object };

function proxyStatements(): Statement[] {
  const [role] = Object.keys(
    dev.findResources('AWS::IAM::Role', {
      Properties: {
        AssumeRolePolicyDocument: { Statement: [Match.objectLike({ Principal: { Service: 'ssm.amazonaws.com' } })] },
      },
    }),
  );
  const [policy] = Object.values(dev.findResources('AWS::IAM::Policy', { Properties: { Roles: [{ Ref: role }] } }));
  return policy!.Properties.PolicyDocument.Statement;
}

test('a proxy can read videos and the signing keys and add access logs, but not overwrite or list objects', () => {
  const statements = proxyStatements();
  expect(statements.flatMap(({ Action }) => Action).toSorted()).toEqual([
    'kms:Decrypt',
    's3:GetObject',
    's3:PutObject',
    'ssm:GetParameter',
    'ssm:UpdateInstanceInformation',
  ]);
  const text = (action: string) => JSON.stringify(statements.find(({ Action }) => Action === action));
  expect(text('s3:GetObject')).toContain('/videos/*');
  expect(text('s3:PutObject')).toContain('/logs/*');
  expect(text('s3:PutObject')).toContain('"Condition":{"Null":{"s3:if-none-match":"false"}}');
  expect(text('kms:Decrypt')).toContain('SecretsKey');
  expect(text('ssm:GetParameter')).toContain('parameter/video-service/dev/signing-keys');
});

test('every uploaded access log is counted, and events that fail go to a queue', () => {
  dev.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: { detail: { object: { key: [{ prefix: 'logs/access/' }, { prefix: 'logs/edge/' }] } } },
    Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue(), RetryPolicy: Match.anyValue() })],
  });
  dev.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { DestinationConfig: { OnFailure: Match.anyValue() } });
});
