import { expect, test } from 'vitest';
import { templateOf } from '../synthesised.ts';

const template = templateOf('local');

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown };
type Policy = { Roles: [{ Ref: string }]; PolicyDocument: { Statement: Statement[] } };

const policies = Object.values(template.findResources('AWS::IAM::Policy')).map(
  ({ Properties }) => Properties as Policy,
);
const functions = new Map(
  Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => [
    String(Properties.FunctionName).replace('video-service-local-', ''),
    Properties as { Role: { 'Fn::GetAtt': [string] }; Environment: { Variables: Record<string, unknown> } },
  ]),
);

/**
 * Such as `s3:GetObject uploads/*`: each action with the end of each resource that it is allowed on. The indexes and
 * items of the table differ between functions: `infra/table-access.json` has them.
 */
function rightsOf(name: string): string[] {
  const role = functions.get(name)!.Role['Fn::GetAtt'][0];
  return policies
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${ending(resource)}`)),
    )
    .filter((right) => !/^(logs|xray):|^dynamodb:Query index\//.test(right))
    .toSorted();
}

/** The last literal of a resource, or the resource that it refers to. */
function ending(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = resource as Record<string, [string, unknown[]]>;
  const named = Ref ?? attribute?.[0];
  if (named) return String(named).replace(/[0-9A-F]{8}$/, '');
  return join ? ending(join[1].at(-1)).replace(/^[:/]/, '') : JSON.stringify(resource);
}

const table = [
  'dynamodb:BatchGetItem StorageTable',
  'dynamodb:BatchWriteItem StorageTable',
  'dynamodb:ConditionCheckItem StorageTable',
  'dynamodb:DeleteItem StorageTable',
  'dynamodb:GetItem StorageTable',
  'dynamodb:PutItem StorageTable',
  'dynamodb:Query StorageTable',
  'dynamodb:UpdateItem StorageTable',
];
/** By which every function of the API knows requests of the distribution. */
const originSecret = 'ssm:GetParameter parameter/video-service/local/origin-secret';

test.each(['account', 'activity', 'usage', 'analytics', 'service'])(
  '%s reaches the table and the secret of the origin, and nothing else',
  (name) => {
    expect(rightsOf(name)).toEqual([...table, originSecret]);
  },
);

/** With the key of the stage. */
const replayKey = 'ssm:GetParameter parameter/video-service/local/replay-key';

test('tokens also reads the key by which secrets are shown again', () => {
  expect(rightsOf('tokens')).toEqual([...table, 'kms:Decrypt SecretsKey', originSecret, replayKey]);
});

test('users also aborts the unfinished uploads of a deleted user, and deletes the secrets of storages', () => {
  expect(rightsOf('users')).toEqual([
    ...table,
    's3:AbortMultipartUpload uploads/*',
    'ssm:DeleteParameter parameter/video-service/local/storages/*',
    originSecret,
  ]);
  expect(rightsOf('templates')).toEqual([...table, 's3:GetObject images/*', 's3:PutObject images/*', originSecret]);
});

test('embed also reads the keys that sign tokens and URLs, and starts nothing', () => {
  expect(rightsOf('embed')).toEqual([
    ...table,
    'kms:Decrypt SecretsKey',
    originSecret,
    'ssm:GetParameter parameter/video-service/local/signing-keys',
  ]);
});

test('the function of the dashboard reaches nothing', () => {
  expect(rightsOf('dashboard')).toEqual([]);
});

test('uploads can access sources, but no outputs', () => {
  expect(rightsOf('uploads')).toEqual([
    ...table,
    'kms:Decrypt SecretsKey',
    'lambda:InvokeFunction function:video-service-local-continue-ingests',
    's3:AbortMultipartUpload uploads/*',
    's3:GetObject uploads/*',
    's3:ListBucket StorageBucket',
    's3:ListMultipartUploadParts uploads/*',
    's3:PutObject uploads/*',
    originSecret,
    replayKey,
  ]);
});

test('workers can sign parts of an ingest, and cannot join, abort or remove an upload', () => {
  const rights = rightsOf('workers').filter((right) => right.startsWith('s3:'));
  expect(rights).toEqual([
    's3:AbortMultipartUpload videos/*',
    's3:GetObject plans/*',
    's3:GetObject uploads/*',
    's3:GetObject videos/*',
    's3:GetObject work/*/posters/*',
    's3:ListBucket StorageBucket',
    's3:ListMultipartUploadParts uploads/*',
    's3:PutObject plans/*',
    's3:PutObject uploads/*',
    's3:PutObject videos/*',
    's3:PutObject videos/*',
  ]);
});

test('only operate can decrypt SSH keys, and only ssh-keys can store them', () => {
  const reading = [...functions.keys()].filter((name) =>
    rightsOf(name).some((right) => /^kms:.*SshKeysKey/.test(right)),
  );
  expect(reading.toSorted()).toEqual(['operate', 'ssh-keys']);
  expect(rightsOf('operate')).not.toContain('ssm:PutParameter parameter/video-service/local/ssh-keys/*');
});

test('functions that start workers can pass the two roles of the task and no other', () => {
  const starting = [...functions.keys()].filter((name) =>
    rightsOf(name).some((right) => right.startsWith('ecs:RunTask')),
  );
  expect(starting.toSorted()).toEqual([
    'continue-ingests',
    'continue-storage-deliveries',
    'continue-transcriptions',
    'enqueue',
    'plan',
    'reap',
  ]);
  expect(rightsOf('plan').filter((right) => right.startsWith('iam:'))).toEqual([
    'iam:PassRole WorkersTaskExecutionRole',
    'iam:PassRole WorkersTaskRole',
  ]);
});

test('the environment of a function names each resource that it may use', () => {
  const variables = (name: string) => Object.keys(functions.get(name)!.Environment.Variables).toSorted();
  const common = ['LOG_LEVEL', 'POWERTOOLS_SERVICE_NAME', 'STAGE', 'TABLE_NAME', 'TRANSCRIPT_SEARCH'];
  expect(variables('fail-output')).toEqual([...common, 'BUCKET_NAME'].toSorted());
  expect(variables('plan')).toEqual(
    [
      ...common,
      'BUCKET_NAME',
      'CLUSTER',
      'CORES_PER_TASK',
      'MAX_TASKS',
      'SECONDS_PER_TASK',
      'SECURITY_GROUP',
      'SPOT_TASK_SHARE',
      'SUBNETS',
      'TASK_DEFINITION',
      'TASK_DEFINITION_FAMILY',
    ].toSorted(),
  );
  expect(variables('videos')).toEqual(
    [
      ...common,
      'ALLOWED_ORIGINS',
      'API_URL',
      'BUCKET_NAME',
      'EDGE_URL',
      'PARAMETERS_KMS_KEY',
      'PARAMETER_PREFIX',
      'REGISTRATION',
      'STATE_MACHINE_ARN',
      'SWEEP_FUNCTION',
      'USE_PROXIES',
    ].toSorted(),
  );
});

test('the gateway stops waiting before Lambda stops a function of the API, so that clients get 503', () => {
  const integrations = Object.values(template.findResources('AWS::ApiGatewayV2::Integration'));
  const all = template.findResources('AWS::Lambda::Function');
  const timeouts = integrations.map(({ Properties }) => {
    const named = JSON.stringify(Properties.IntegrationUri);
    return Object.entries(all).find(([id]) => named.includes(id))?.[1].Properties.Timeout;
  });
  expect(timeouts.length).toBeGreaterThan(5);
  expect(timeouts.every((seconds) => seconds > 30)).toBe(true);
});
