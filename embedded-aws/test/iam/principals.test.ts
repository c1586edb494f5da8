import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { managedPolicy } from '../../src/iam/managed-policies.ts';
import { readMasterSecret } from '../../src/iam/master-secret.ts';
import { createPrincipals, deriveCredentials } from '../../src/iam/principals.ts';
import { isTrusted } from '../../src/iam/trust-policy.ts';
import { deployedTemplate } from '../../src/template/deployed-template.ts';
import { readRoles } from '../../src/template/read-roles.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'principals-'));
});
afterEach(() => rm(folder, { recursive: true }));

const everything = () => true;

test('each purpose has its own credentials, which only depend on the secret', () => {
  const secret = Buffer.alloc(32, 1);
  const [one, other] = [deriveCredentials(secret, 'function a'), deriveCredentials(secret, 'function b')];
  expect(one.accessKeyId).toMatch(/^LOCAL[0-9A-F]{20}$/);
  expect(one.accessKeyId).not.toBe(other.accessKeyId);
  expect(one.secretAccessKey).not.toBe(other.secretAccessKey);
  expect(deriveCredentials(Buffer.alloc(32, 1), 'function a')).toEqual(one);
  expect(deriveCredentials(Buffer.alloc(32, 2), 'function a').accessKeyId).not.toBe(one.accessKeyId);
});

test('a principal is found by its access key id only', () => {
  const { add, find } = createPrincipals(Buffer.alloc(32, 1), { sessionSeconds: 3600, now: Date.now });
  const principal = add('proxy', { arn: 'arn', policy: everything });
  expect(find(principal.credentials.accessKeyId)).toBe(principal);
  for (const id of ['', 'proxy', 'constructor', '__proto__']) expect(find(id)).toBeUndefined();
});

test('the secret is created once, readable by its owner only', async () => {
  const secret = await readMasterSecret(folder);
  expect(secret).toHaveLength(32);
  expect(await readMasterSecret(folder)).toEqual(secret);
  expect((await stat(join(folder, 'credentials.json'))).mode & 0o777).toBe(0o600);
});

test.each(['', '{', '[]', '{"masterSecret":"c2hvcnQ"}', '{"accessKeyId":"LOCAL","secretAccessKey":"x"}'])(
  'a file without a secret is refused and not replaced: %s',
  async (text) => {
    await writeFile(join(folder, 'credentials.json'), text);
    await expect(readMasterSecret(folder)).rejects.toThrow(`${join(folder, 'credentials.json')} is damaged.`);
    expect(await readFile(join(folder, 'credentials.json'), 'utf8')).toBe(text);
  },
);

test('a file that cannot be read is not replaced', async () => {
  await mkdir(join(folder, 'credentials.json'));
  await expect(readMasterSecret(folder)).rejects.toThrow('EISDIR');
});

const trusting = (Service: string, Condition?: object) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service }, ...(Condition && { Condition }) }],
});

test.each([
  [trusting('ssm.amazonaws.com'), true],
  [trusting('lambda.amazonaws.com'), false],
  [trusting('ssm.amazonaws.com', { StringEquals: { 'aws:SourceAccount': '000000000000' } }), true],
  [trusting('ssm.amazonaws.com', { StringEquals: { 'aws:SourceAccount': '111111111111' } }), false],
])('the trust policy %j lets Systems Manager assume the role: %s', (document, expected) => {
  expect(isTrusted(document, 'ssm.amazonaws.com', '000000000000')).toBe(expected);
});

test('a managed policy that is not known stops the start, with its name', () => {
  expect(() => managedPolicy('arn:aws:iam::aws:policy/AdministratorAccess')).toThrow('policy/AdministratorAccess');
});

test('a role has the permissions of its inline and attached policies', () => {
  const statement = (Action: string) => ({ Statement: [{ Effect: 'Allow', Action, Resource: '*' }] });
  const place = { stackName: 'demo', region: 'local-1', accountId: '000000000000', apiUrl: '' };
  const policyOf = readRoles(
    deployedTemplate(
      {
        Resources: {
          Reader: {
            Type: 'AWS::IAM::Role',
            Properties: {
              AssumeRolePolicyDocument: trusting('lambda.amazonaws.com'),
              Policies: [{ PolicyName: 'own', PolicyDocument: statement('s3:GetObject') }],
            },
          },
          Writer: {
            Type: 'AWS::IAM::Role',
            Properties: {
              AssumeRolePolicyDocument: trusting('lambda.amazonaws.com'),
              ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole'],
            },
          },
          Both: {
            Type: 'AWS::IAM::Policy',
            Properties: { Roles: [{ Ref: 'Reader' }, { Ref: 'Writer' }], PolicyDocument: statement('s3:PutObject') },
          },
        },
      },
      place,
    ),
    place.accountId,
  );
  const actions = (role: string) =>
    ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 'logs:PutLogEvents'].filter((action) =>
      policyOf(role, 'lambda.amazonaws.com')({ action, resource: 'arn:aws:s3:::b/k', context: {} }),
    );
  expect(actions('demo-Reader')).toEqual(['s3:GetObject', 's3:PutObject']);
  expect(actions('demo-Writer')).toEqual(['s3:PutObject', 'logs:PutLogEvents']);
  expect(() => policyOf('demo-Writer', 'states.amazonaws.com')).toThrow(
    'The trust policy of the role demo-Writer does not allow states.amazonaws.com to assume it.',
  );
  expect(() => policyOf('demo-None', 'lambda.amazonaws.com')).toThrow('no role demo-None');
});
