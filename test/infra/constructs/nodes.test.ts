import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { templateOf } from '../synthesised.ts';

const dev = templateOf('dev');

type Statement = { Action: string | string[]; Resource: unknown };

/** The permissions of a function as text: actions with their resources. */
function rightsOf(name: string): string[] {
  const policies = Object.values(dev.findResources('AWS::IAM::Policy'));
  const own = policies.filter(({ Properties }) =>
    new RegExp(`"(Nodes|Schedule)?${name}role`).test(JSON.stringify(Properties.Roles)),
  );
  expect(own).toHaveLength(1);
  const statements = own.flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Statement[]);
  return statements.flatMap(({ Action, Resource }) =>
    [Action].flat().map((action) => `${action} ${JSON.stringify(Resource)}`),
  );
}
/** Every function of the API can read the secret of the origin, which has nothing to do with nodes. */
const touching = (name: string, pattern: RegExp) =>
  rightsOf(name).filter((right) => pattern.test(right) && !right.includes('/origin-secret'));
const actions = (rights: string[]) => rights.map((right) => right.split(' ')[0]).toSorted();

test('only one function can read private keys, and no request invokes it directly', () => {
  const readers = Object.values(dev.findResources('AWS::IAM::Policy')).filter(({ Properties }) =>
    (Properties.PolicyDocument.Statement as Statement[]).some(
      ({ Action, Resource }) =>
        [Action].flat().includes('kms:Decrypt') && JSON.stringify(Resource).includes('SshKeysKey'),
    ),
  );
  expect(readers).toHaveLength(1);
  expect(JSON.stringify(readers[0]!.Properties.Roles)).toContain('operaterole');
  expect(actions(touching('operate', /ssh-keys|kms:/))).toEqual(['kms:Decrypt', 'ssm:GetParameter']);
  const routed = Object.values(dev.findResources('AWS::ApiGatewayV2::Integration'));
  expect(JSON.stringify(routed)).not.toContain('operate');
});

test('the API can store and delete a private key, but not read it', () => {
  const stored = ['kms:Encrypt', 'kms:GenerateDataKey', 'ssm:DeleteParameter', 'ssm:PutParameter'];
  expect(actions(touching('sshkeys', /ssm:|kms:/))).toEqual(stored);
  expect(touching('nodes', /ssm:|kms:/)).toEqual([]);
});

test('the API and check-nodes invoke it, and Lambda does not retry an invocation', () => {
  for (const name of ['nodes', 'checknodes']) {
    expect(touching(name, /lambda:/)).toEqual([expect.stringMatching(/InvokeFunction .*video-service-dev-operate/)]);
  }
  dev.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    FunctionName: { Ref: Match.stringLikeRegexp('operate') },
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
  dev.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(1 minute)',
    Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('checknodes'), 'Arn'] } })],
  });
});

test('only the stage local allows loopback addresses for nodes', () => {
  const allowed = (stage: 'local' | 'dev' | 'prod') =>
    templateOf(stage).findResources('AWS::Lambda::Function', {
      Properties: {
        FunctionName: `video-service-${stage}-nodes`,
        Environment: { Variables: { ALLOW_LOOPBACK_NODES: 'on' } },
      },
    });
  expect(Object.keys(allowed('local'))).toHaveLength(1);
  for (const stage of ['dev', 'prod'] as const) expect(allowed(stage)).toEqual({});
});

test('images of the settings are used unchanged, with a registry login only for ECR', () => {
  const digest = `@sha256:${'a'.repeat(64)}`;
  const worker = `111122223333.dkr.ecr.eu-west-1.amazonaws.com/worker${digest}`;
  const template = templateOf('dev', { nodes: { workerImage: worker, proxyImage: `docker.io/me/proxy${digest}` } });
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'video-service-dev-operate',
    Environment: {
      Variables: Match.objectLike({
        WORKER_IMAGE_X86_64: worker,
        WORKER_IMAGE_ARM64: worker,
        PROXY_IMAGE_X86_64: `docker.io/me/proxy${digest}`,
        PROXY_IMAGE_ARM64: `docker.io/me/proxy${digest}`,
      }),
    },
  });
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Action: Match.arrayWith(['ecr:BatchGetImage']),
          Resource: 'arn:aws:ecr:eu-west-1:111122223333:repository/worker',
        }),
      ]),
    },
  });
});

test('the embedded AWS gives credentials of proxies only to the function that sets them up', () => {
  const lent = dev.findResources('AWS::Lambda::Function', {
    Metadata: { 'embedded-aws:managed-node-role': { Ref: Match.stringLikeRegexp('^DeliveryProxyRole') } },
  });
  expect(Object.values(lent).map(({ Properties }) => Properties.FunctionName)).toEqual(['video-service-dev-operate']);
});
