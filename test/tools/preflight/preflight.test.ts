import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type AccountLimits,
  credentials,
  newAccountLimits,
  type StackFacts,
  serveAccount,
  usualLimits,
} from 'embedded-aws/testing';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { readStage, type Stage } from '../../../tools/preflight/read-stage.ts';
import { runChecks } from '../../../tools/preflight/run-checks.ts';

const region = 'local-1';
const accountId = '000000000000';
let dev: Stage;
let withoutEarlyWorker: Stage;
beforeAll(async () => {
  [dev, withoutEarlyWorker] = [
    await readStage('dev', undefined),
    await readStage('dev', { earlyWorker: { enabled: false } }),
  ];
});

type AccountOptions = {
  limits?: AccountLimits;
  names?: Record<string, string[]>;
  roles?: string[];
  bootstrapVersion?: string | undefined;
  stack?: Partial<StackFacts>;
  platforms?: string;
};

const everyRole = ['AWSServiceRoleForECS'];
const stackOf = (name: string): StackFacts => ({
  name,
  id: `arn:aws:cloudformation:${region}:${accountId}:stack/${name}/1`,
  createdAt: '2026-11-01T00:00:00Z',
  outputs: {},
  terminationProtection: false,
  resources: {},
});

/** An account of the embedded AWS, and a Docker that builds for some platforms. */
async function openAccount({
  limits = usualLimits,
  names = {},
  roles = everyRole,
  bootstrapVersion = '6',
  stack = {},
  platforms = 'linux/amd64*, linux/amd64/v2, linux/arm64',
}: AccountOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'preflight-test-'));
  const served = await serveAccount({
    file: join(folder, 'parameters.json'),
    limits,
    names,
    serviceLinkedRoles: roles,
    parameters: bootstrapVersion === '' ? {} : { '/cdk-bootstrap/hnb659fds/version': bootstrapVersion },
    stack: { ...stackOf('another'), ...stack },
  });
  const docker = join(folder, 'docker');
  const text = `#!/bin/sh\ncase "$1" in buildx) echo 'Platforms: ${platforms}' ;; *) echo linux/amd64 ;; esac\n`;
  await writeFile(docker, text, { mode: 0o755 });
  onTestFinished(async () => {
    await served.stop();
    await rm(folder, { recursive: true });
  });
  const environment = {
    CDK_DOCKER: docker,
    AWS_ENDPOINT_URL: served.endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_MAX_ATTEMPTS: '1',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return environment;
}

/** What stands in the way of a stage in an account. */
async function problemsOf(stage: Stage, options: AccountOptions = {}): Promise<string[]> {
  await openAccount(options);
  const results = await runChecks(stage);
  return results.flatMap(({ name, findings }) =>
    findings.flatMap(({ state, text, fix }) => (state === 'fails' ? [`${name}: ${text} → ${fix}`] : [])),
  );
}

test('nothing stands in the way in an account that has been in use', async () => {
  expect(await problemsOf(dev)).toEqual([]);
});

test('a new account is too small for the early worker, and its setting solves that', async () => {
  const fix = 'set "earlyWorker": { "enabled": false } for dev in cdk.json until the account allows it';
  expect(await problemsOf(dev, { limits: newAccountLimits })).toEqual([
    `Lambda: 10 concurrent executions, 10 of them not reserved: the early worker reserves 10, and Lambda keeps 100 for other functions → ${fix}`,
    `Lambda: the early worker has 10240 MB, new accounts allow 3008 → ${fix}`,
  ]);
  expect(await problemsOf(withoutEarlyWorker, { limits: newAccountLimits })).toEqual([]);
});

test.each<[AccountOptions, string]>([
  [{ roles: [] }, 'aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com'],
  [{ bootstrapVersion: '' }, 'npx cdk bootstrap'],
  [{ bootstrapVersion: '5' }, 'npx cdk bootstrap'],
  [{ platforms: 'linux/amd64, linux/386' }, 'run --privileged --rm tonistiigi/binfmt --install all'],
  [
    { limits: { ...usualLimits, spotVcpus: 2 } },
    'aws service-quotas request-service-quota-increase --service-code fargate --quota-code L-36FBB829 --desired-value 80',
  ],
  [
    { names: { 'AWS::EC2::VPC': ['a', 'b', 'c', 'd', 'e'] } },
    'aws service-quotas request-service-quota-increase --service-code vpc --quota-code L-F678F1CE --desired-value 6',
  ],
  [
    { names: { 'AWS::Logs::LogGroup': ['/aws/lambda/video-service-dev-reap'] } },
    'aws logs delete-log-group --log-group-name /aws/lambda/video-service-dev-reap',
  ],
  [
    { names: { 'AWS::ECR::Repository': ['video-service-dev'] } },
    'aws ecr delete-repository --repository-name video-service-dev --force',
  ],
])('one problem is reported with the command that solves it: %j', async (account, command) => {
  const problems = await problemsOf(dev, account);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(command);
});

test('names that the stack of the stage owns are not in its way', async () => {
  const name = '/aws/lambda/video-service-dev-reap';
  const resources = { Log: { type: 'AWS::Logs::LogGroup', physicalId: name } };
  const stack = { ...stackOf('video-service-dev'), resources };
  expect(await problemsOf(dev, { names: { 'AWS::Logs::LogGroup': [name] }, stack })).toEqual([]);
});

test.each([
  ['ROLLBACK_COMPLETE', 'aws cloudformation delete-stack --stack-name video-service-dev'],
  ['UPDATE_ROLLBACK_FAILED', 'aws cloudformation continue-update-rollback --stack-name video-service-dev'],
  ['UPDATE_IN_PROGRESS', 'wait until it has ended, then run this again'],
])('a stack in the state %s has to be dealt with first', async (status, fix) => {
  const problems = await problemsOf(dev, { stack: { ...stackOf('video-service-dev'), status } });
  expect(problems).toEqual([`stack: video-service-dev is in the state ${status} → ${fix}`]);
});

test('the program prints the findings, exits with 1 if something stands in the way and 2 for wrong arguments', async () => {
  const environment = await openAccount({ limits: newAccountLimits });
  const program = join(import.meta.dirname, '../../../tools/preflight/preflight.ts');
  const run = async (...args: string[]) =>
    promisify(execFile)(process.execPath, [program, ...args], { env: { ...process.env, ...environment } }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );
  const [refused, passed, wrong, unknown] = await Promise.all([
    run('--stage', 'dev'),
    run('--stage', 'dev', '-c', 'dev={"earlyWorker":{"enabled":false}}'),
    run(),
    run('--stage', 'staging'),
  ]);
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('2 problems stand in the way.') });
  expect(refused.text).toContain('note  Fargate: 6 vCPU Spot: 1 of 20 tasks at a time');
  expect(passed).toMatchObject({ code: 0, text: expect.stringContaining('dev can be deployed.') });
  expect(wrong.code).toBe(2);
  expect(unknown).toMatchObject({ code: 2, text: expect.stringContaining('unknown stage staging') });
});
