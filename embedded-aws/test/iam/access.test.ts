import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SFN } from '@aws-sdk/client-sfn';
import { SSM } from '@aws-sdk/client-ssm';
import { expect, onTestFinished, test } from 'vitest';
import { dynamoTarget, openDynamo } from '../../src/dynamodb/dynamodb-server.ts';
import type { Context } from '../../src/iam/policy-conditions.ts';
import { openSsm, ssmTarget } from '../../src/ssm/ssm-server.ts';
import { stepFunctionsService, stepFunctionsTarget } from '../../src/step-functions/step-functions-server.ts';
import { createPrincipal, createPrincipalLookup } from '../../src/testing/create-principal.ts';
import { credentials, serveControl } from '../../src/testing/serve-control.ts';
import { thingsTable } from '../dynamodb/dynamo-server.ts';
import { invokeAndWait, MACHINE, open, until } from '../step-functions/fixture.ts';

const region = 'eu-west-1';
const account = '000000000000';

/** The services behind one endpoint, for a principal whose requests are recorded. `refuse` decides which are denied. */
async function serve() {
  const folder = await mkdtemp(join(tmpdir(), 'access-'));
  const asked: string[] = [];
  let refuse: (right: string) => boolean = () => false;
  const policy = ({ action, resource, context }: { action: string; resource: string; context: Context }) => {
    const right = [action, resource, ...Object.entries(context).flat()].join(' ');
    asked.push(right);
    return !refuse(right);
  };
  const tokens: string[] = [];
  const dynamo = await openDynamo({ folder: join(folder, 'dynamodb'), tables: [thingsTable], region });
  const ssm = await openSsm({ file: join(folder, 'parameters.json'), region });
  const states = await open({
    definition: { StartAt: 'Work', States: { Work: invokeAndWait('enqueue', { End: true }) } },
    functions: { enqueue: ({ token }: { token: string }) => void tokens.push(token) },
  });
  const served = await serveControl({
    region,
    find: createPrincipalLookup(createPrincipal(credentials, policy)),
    targets: new Map([
      [dynamoTarget, dynamo.service],
      [ssmTarget, ssm.service],
      [stepFunctionsTarget, stepFunctionsService(states)],
    ]),
  });
  onTestFinished(async () => {
    await served.stop();
    await dynamo.close();
    await ssm.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    dynamo: new DynamoDB(served.client),
    ssm: new SSM(served.client),
    states: new SFN(served.client),
    tokens,
    /** The permissions that a call checks, whatever its result. */
    async rightsOf(call: () => Promise<unknown>): Promise<string[]> {
      asked.length = 0;
      await call().catch(() => undefined);
      return [...asked];
    },
    /** The error of a call without one permission. */
    async without(right: string, call: () => Promise<unknown>): Promise<string> {
      refuse = (one) => one === right;
      try {
        return await call().then(
          () => 'done',
          (error: Error) => error.name,
        );
      } finally {
        refuse = () => false;
      }
    },
  };
}

test('each DynamoDB operation requires the permissions for what it reads and writes', async () => {
  const { dynamo, rightsOf, without } = await serve();
  const TableName = 'things';
  const table = `arn:aws:dynamodb:${region}:${account}:table/things`;
  const Key = { pk: { S: 'a' }, sk: { S: 'b' } };
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } };
  const write = { Put: { TableName, Item: Key } };
  const check = {
    ConditionCheck: { TableName, Key: { ...Key, sk: { S: 'c' } }, ConditionExpression: 'attribute_not_exists(pk)' },
  };
  const calls: [() => Promise<unknown>, string[]][] = [
    [() => dynamo.getItem({ TableName, Key }), ['GetItem']],
    [() => dynamo.putItem({ TableName, Item: Key }), ['PutItem']],
    [() => dynamo.scan({ TableName }), ['Scan']],
    [() => dynamo.query({ TableName, ...query }), ['Query']],
    [() => dynamo.batchGetItem({ RequestItems: { things: { Keys: [Key] } } }), ['BatchGetItem']],
    [() => dynamo.batchWriteItem({ RequestItems: { things: [{ PutRequest: { Item: Key } }] } }), ['BatchWriteItem']],
    [() => dynamo.transactWriteItems({ TransactItems: [write, check] }), ['PutItem', 'ConditionCheckItem']],
    [() => dynamo.transactGetItems({ TransactItems: [{ Get: { TableName, Key } }] }), ['GetItem']],
    [() => dynamo.describeTable({ TableName }), ['DescribeTable']],
  ];
  for (const [call, actions] of calls) {
    // All items have the same partition key. A scan and a description have none.
    const withKey = (action: string): string => (/Scan|Describe/.test(action) ? '' : ' dynamodb:leadingkeys a');
    const rights = actions.map((action) => `dynamodb:${action} ${table}${withKey(action)}`);
    expect(await rightsOf(call)).toEqual(rights);
    expect(await without('', call)).toBe('done');
    for (const right of rights) expect(await without(right, call)).toBe('AccessDeniedException');
  }
  const byOwner = {
    IndexName: 'by-owner',
    KeyConditionExpression: '#o = :pk',
    ExpressionAttributeNames: { '#o': 'owner' },
  };
  expect(await rightsOf(() => dynamo.query({ TableName, ...query, ...byOwner }))).toEqual([
    `dynamodb:Query ${table}/index/by-owner dynamodb:leadingkeys a`,
  ]);
  expect(await rightsOf(() => dynamo.listTables({}))).toEqual(['dynamodb:ListTables *']);
});

test('each Parameter Store operation requires the permission for every parameter that it names, and for nothing else', async () => {
  const { ssm, rightsOf, without } = await serve();
  const arn = (name: string) => `arn:aws:ssm:${region}:${account}:parameter/${name}`;
  const [Name, Names] = ['/app/key', ['/app/key', '/app/other']];
  await ssm.putParameter({ Name, Value: 'x', Type: 'SecureString' });
  expect(await rightsOf(() => ssm.getParameter({ Name }))).toEqual([`ssm:GetParameter ${arn('app/key')}`]);
  expect(await rightsOf(() => ssm.getParameter({ Name, Names: ['/mine'] } as never))).toEqual([
    `ssm:GetParameter ${arn('app/key')}`,
  ]);
  expect(await rightsOf(() => ssm.getParameters({ Names }))).toEqual([
    `ssm:GetParameters ${arn('app/key')}`,
    `ssm:GetParameters ${arn('app/other')}`,
  ]);
  expect(await rightsOf(() => ssm.getParametersByPath({ Path: '/app' }))).toEqual([
    `ssm:GetParametersByPath ${arn('app')}`,
  ]);
  expect(await without(`ssm:GetParameters ${arn('app/other')}`, () => ssm.getParameters({ Names }))).toBe(
    'AccessDeniedException',
  );
  const put = () => ssm.putParameter({ Name, Value: 'y', Overwrite: true });
  expect(await without(`ssm:PutParameter ${arn('app/key')}`, put)).toBe('AccessDeniedException');
  expect((await ssm.getParameter({ Name, WithDecryption: true })).Parameter?.Value).toBe('x');
});

test('each Step Functions operation requires the permission for its state machine, its execution or the state machine of its task', async () => {
  const { states, tokens, rightsOf, without } = await serve();
  const start = () => states.startExecution({ stateMachineArn: MACHINE, name: 'one' });
  expect(await without(`states:StartExecution ${MACHINE}`, start)).toBe('AccessDeniedException');
  expect(tokens).toEqual([]);
  const { executionArn } = await start();
  const taskToken = await until(() => tokens[0]);
  expect(await rightsOf(() => states.describeExecution({ executionArn }))).toEqual([
    `states:DescribeExecution ${executionArn}`,
  ]);
  expect(await rightsOf(() => states.listStateMachines({}))).toEqual(['states:ListStateMachines *']);
  const succeed = () => states.sendTaskSuccess({ taskToken, output: '{}' });
  expect(await without(`states:SendTaskSuccess ${MACHINE}`, succeed)).toBe('AccessDeniedException');
  expect(await without('', () => states.sendTaskSuccess({ taskToken: 'invented', output: '{}' }))).toBe('InvalidToken');
  expect(await rightsOf(succeed)).toEqual([`states:SendTaskSuccess ${MACHINE}`]);
});

test('a SecureString with a key of KMS requires the key, through Parameter Store', async () => {
  const { ssm, rightsOf, without } = await serve();
  const KeyId = `arn:aws:kms:${region}:${account}:key/one`;
  const put = { Name: '/a/key', Value: 'secret', Type: 'SecureString', KeyId } as const;
  const arn = `arn:aws:ssm:${region}:${account}:parameter/a/key`;
  const keyRight = (action: string) => `kms:${action} ${KeyId} kms:viaservice ssm.${region}.amazonaws.com`;
  expect(await rightsOf(() => ssm.putParameter(put))).toEqual([`ssm:PutParameter ${arn}`, keyRight('Encrypt')]);
  const large = { ...put, Name: '/a/large', Value: 'x'.repeat(5000), Tier: 'Advanced' } as const;
  expect(await rightsOf(() => ssm.putParameter(large))).toContain(keyRight('GenerateDataKey'));
  const get = () => ssm.getParameter({ Name: '/a/key', WithDecryption: true });
  expect(await rightsOf(get)).toEqual([`ssm:GetParameter ${arn}`, keyRight('Decrypt')]);
  expect(await without(keyRight('Decrypt'), get)).toBe('AccessDeniedException');
  expect(await rightsOf(() => ssm.getParameter({ Name: '/a/key' }))).toEqual([`ssm:GetParameter ${arn}`]);
  expect(await without(keyRight('Encrypt'), () => ssm.putParameter({ ...put, Overwrite: true }))).toBe(
    'AccessDeniedException',
  );
});
