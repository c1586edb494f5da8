import { randomUUID } from 'node:crypto';

/** A request to an AWS service that would damage a stage or reveal its secrets if it were executed. */
export type Attack = { service: string; method: string; path: string; headers: Record<string, string>; body: string };

export type Target = {
  /** Names of the table, the bucket and the functions. */
  name: string;
  parameterPrefix: string;
  /** The file that a task running the attacker's code would create. */
  markerFile: string;
  email: string;
};

const json = (service: string, target: string, version: string, input: object): Attack => ({
  service,
  method: 'POST',
  path: '/',
  headers: { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': target },
  body: JSON.stringify(input),
});

const store = (method: string, path: string, body = ''): Attack => ({ service: 's3', method, path, headers: {}, body });

const anyStore = encodeURIComponent(`arn:aws:cloudfront::000000000000:key-value-store/${randomUUID()}`);

const keyValueStore = (method: string, path: string, body = ''): Attack => ({
  service: 'cloudfront-keyvaluestore',
  method,
  path: `/key-value-stores/${anyStore}${path}`,
  headers: { 'content-type': 'application/json', 'if-match': 'x' },
  body,
});

export function attacksOn({ name, parameterPrefix, markerFile, email }: Target): Attack[] {
  const code = `import fs from 'node:fs';fs.writeFileSync(${JSON.stringify(markerFile)},'')`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`;
  const environment = [{ name: 'NODE_OPTIONS', value: NODE_OPTIONS }];
  const machine = `arn:aws:states:local-1:000000000000:stateMachine:${name}`;
  const ecs = 'AmazonEC2ContainerServiceV20141113';
  const admin = { name: 'Mallory', email, password: 'correct-horse-battery' };
  return [
    json('dynamodb', 'DynamoDB_20120810.Scan', '1.0', { TableName: name }),
    json('dynamodb', 'DynamoDB_20120810.ListTables', '1.0', {}),
    json('dynamodb', 'DynamoDB_20120810.UpdateTimeToLive', '1.0', { TableName: name }),
    json('ssm', 'AmazonSSM.GetParameters', '1.1', { Names: [`${parameterPrefix}/signing-keys`], WithDecryption: true }),
    json('ssm', 'AmazonSSM.GetParametersByPath', '1.1', { Path: '/', Recursive: true, WithDecryption: true }),
    json('states', 'AWSStepFunctions.ListStateMachines', '1.0', {}),
    json('states', 'AWSStepFunctions.StartExecution', '1.0', { stateMachineArn: machine, input: '{}' }),
    json('events', 'AWSEvents.DisableRule', '1.1', { Name: `${name}-reap` }),
    json('ecs', `${ecs}.RunTask`, '1.1', {
      taskDefinition: `${name}-encoder`,
      overrides: { containerOverrides: [{ name: 'encoder', environment }] },
    }),
    ...['constructor.x', '__proto__.x', 'toString', 'hasOwnProperty.call', `${ecs}.constructor`].map((target) =>
      json('ecs', target, '1.1', {}),
    ),
    {
      service: 'cloudformation',
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'Action=DescribeStacks&Version=2010-05-15',
    },
    ...['setup', 'rotate-keys'].map((handler) => ({
      service: 'lambda',
      method: 'POST',
      path: `/2015-03-31/functions/${name}-${handler}/invocations`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ admin }),
    })),
    keyValueStore('GET', ''),
    keyValueStore('GET', '/keys'),
    keyValueStore('PUT', '/keys/public%2F00000000000000000000000000', JSON.stringify({ Value: '1' })),
    store('GET', '/'),
    store('HEAD', `/${name}`),
    store('GET', `/${name}?list-type=2`),
    store('GET', `/${name}?uploads=`),
    store('GET', `/${name}/plans/`),
    store('PUT', `/${name}/uploads/mine`, 'x'),
    store('DELETE', `/${name}/uploads/mine`),
    store('POST', `/${name}?delete=`, '<Delete><Object><Key>a</Key></Object></Delete>'),
    store('POST', `/${name}/uploads/mine?uploads=`),
  ];
}
