import { DescribeAddressesCommand, DescribeVpcsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  type FunctionConfiguration,
  GetAccountSettingsCommand,
  LambdaClient,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import { paginateListServiceQuotas, type ServiceQuota, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type Check, type Finding, fails, isNamed, note, ok } from './check.ts';
import type { Stage } from './read-stage.ts';

/** What Lambda keeps for functions without reserved concurrency. */
const unreserved = 100;
/** The memory of a function in a new account. AWS shows the limit of an account nowhere. */
const newAccountMemoryMib = 3008;
/** The concurrency of an account that has been in use for some time. */
const usualConcurrency = 1000;

const versionParameter = '/cdk-bootstrap/hnb659fds/version';
const withoutEarlyWorker = (stage: string): string =>
  `set "earlyWorker": { "enabled": false } for ${stage} in cdk.json until the account allows it`;

export const accountChecks = (stage: Stage): Check[] => [
  { name: 'bootstrap', run: () => checkBootstrap(stage) },
  { name: 'ECS role', run: checkServiceLinkedRole },
  { name: 'Lambda', run: () => checkLambda(stage) },
  { name: 'Fargate', run: () => checkFargate(stage) },
  { name: 'network', run: () => checkNetwork(stage) },
];

async function checkBootstrap({ bootstrapVersion }: Stage): Promise<Finding> {
  try {
    const { Parameter } = await new SSMClient().send(new GetParameterCommand({ Name: versionParameter }));
    const [, , , region, account] = Parameter?.ARN?.split(':') ?? [];
    const environment = `account ${account}, region ${region}`;
    const version = Number(Parameter?.Value);
    if (version >= bootstrapVersion) return ok(`${environment} has version ${version} of the bootstrap stack`);
    return fails(
      `${environment} has version ${version} of the bootstrap stack, not ${bootstrapVersion}`,
      'npx cdk bootstrap',
    );
  } catch (error) {
    if (!isNamed(error, 'ParameterNotFound')) throw error;
    return fails('the account has no bootstrap stack of the CDK in this region', 'npx cdk bootstrap');
  }
}

async function checkServiceLinkedRole(): Promise<Finding> {
  try {
    await new IAMClient().send(new GetRoleCommand({ RoleName: 'AWSServiceRoleForECS' }));
    return ok('the service-linked role exists');
  } catch (error) {
    if (!isNamed(error, 'NoSuchEntityException', 'NoSuchEntity')) throw error;
    const command = 'aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com';
    return fails('the account has no service-linked role of ECS', command);
  }
}

async function checkLambda(stage: Stage): Promise<Finding[]> {
  const client = new LambdaClient();
  const { AccountLimit = {} } = await client.send(new GetAccountSettingsCommand());
  const { ConcurrentExecutions: concurrency = 0, UnreservedConcurrentExecutions: free = 0 } = AccountLimit;
  const functions: FunctionConfiguration[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) functions.push(...Functions);
  const earlyWorker = `${stage.stackNames.service}-early-worker`;
  // An update finds the concurrency of its function reserved.
  const isDeployed = functions.some(({ FunctionName }) => FunctionName === earlyWorker);
  const largest = Math.max(0, ...functions.map(({ MemorySize = 0 }) => MemorySize));
  return [
    checkConcurrency(stage, { concurrency, free: isDeployed ? concurrency : free }),
    checkMemory(stage, concurrency, largest),
  ];
}

function checkConcurrency(
  { resources, settings }: Stage,
  { concurrency, free }: { concurrency: number; free: number },
): Finding {
  const reserved = resources.reduce(
    (sum, { properties }) => sum + Number(properties.ReservedConcurrentExecutions ?? 0),
    0,
  );
  const has = `${concurrency} concurrent executions, ${free} of them not reserved`;
  if (reserved > 0 && free < reserved + unreserved) {
    const needed = `the early worker reserves ${reserved}, and Lambda keeps ${unreserved} for other functions`;
    return fails(`${has}: ${needed}`, withoutEarlyWorker(settings.stage));
  }
  if (concurrency >= usualConcurrency) return ok(has);
  const advice = `${has}: enough for a few users, production needs ${usualConcurrency}`;
  return note(advice, increase('lambda', 'L-B99A9384', usualConcurrency));
}

function checkMemory({ resources, settings }: Stage, concurrency: number, largest: number): Finding {
  const needed = Math.max(0, ...resources.map(({ properties }) => Number(properties.MemorySize ?? 0)));
  if (needed <= newAccountMemoryMib) return ok(`functions of ${needed} MB at most, which every account allows`);
  if (largest > newAccountMemoryMib) return ok(`the account has a function of ${largest} MB already`);
  const problem = `the early worker has ${needed} MB, new accounts allow ${newAccountMemoryMib}`;
  if (concurrency < usualConcurrency) return fails(problem, withoutEarlyWorker(settings.stage));
  const advice = `if the deployment fails with "less than or equal to ${newAccountMemoryMib}", open a support case, and`;
  return note(
    `${problem}, and AWS does not show the limit of this one`,
    `${advice} ${withoutEarlyWorker(settings.stage)}`,
  );
}

/** A quota of the account by a part of its name. Undefined if AWS does not list it. */
async function findQuota(ServiceCode: string, name: RegExp): Promise<ServiceQuota | undefined> {
  const client = new ServiceQuotasClient();
  for await (const { Quotas = [] } of paginateListServiceQuotas({ client }, { ServiceCode })) {
    const found = Quotas.find(({ QuotaName = '' }) => name.test(QuotaName));
    if (found) return found;
  }
  return undefined;
}

const increase = (service: string, code: string | undefined, value: number): string =>
  `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code} --desired-value ${value}`;

async function checkFargate({ settings }: Stage): Promise<Finding[]> {
  const { cpuUnits, maxTasks, spotTaskShare } = settings.workers;
  const perTask = cpuUnits / 1024;
  const wanted = perTask * maxTasks;
  const kinds = [
    ['on demand', /on-demand vcpu/i, spotTaskShare < 1],
    ['Spot', /spot vcpu/i, spotTaskShare > 0],
  ] as const;
  return Promise.all(
    kinds
      .filter(([, , isUsed]) => isUsed)
      .map(async ([kind, name]) => {
        const quota = await findQuota('fargate', name);
        if (quota?.Value === undefined) return note(`AWS does not list the quota of vCPU ${kind}`);
        const tasks = Math.floor(quota.Value / perTask);
        const has = `${quota.Value} vCPU ${kind}: ${tasks} of ${maxTasks} tasks at a time`;
        if (tasks >= maxTasks) return ok(has);
        const fix = increase('fargate', quota.QuotaCode, wanted);
        return tasks > 0 ? note(has, fix) : fails(has, fix);
      }),
  );
}

async function checkNetwork({ resources, stackNames }: Stage): Promise<Finding[]> {
  const client = new EC2Client();
  const needs = (type: string): number => resources.filter((one) => one.type === type).length;
  const ownedBy = (tags: { Key?: string | undefined; Value?: string | undefined }[] = []): boolean =>
    tags.some(({ Key, Value }) => Key === 'aws:cloudformation:stack-name' && Value === stackNames.service);
  const { Vpcs = [] } = await client.send(new DescribeVpcsCommand({}));
  const { Addresses = [] } = await client.send(new DescribeAddressesCommand({}));
  const kinds = [
    { what: 'networks (VPC)', service: 'vpc', name: /^vpcs per region/i, type: 'AWS::EC2::VPC', present: Vpcs },
    { what: 'Elastic IPs', service: 'ec2', name: /elastic ips$/i, type: 'AWS::EC2::EIP', present: Addresses },
  ];
  const findings = kinds.map(async ({ what, service, name, type, present }): Promise<Finding[]> => {
    if (needs(type) === 0) return [];
    const used = present.filter(({ Tags }) => !ownedBy(Tags)).length;
    const quota = await findQuota(service, name);
    if (quota?.Value === undefined) return [note(`AWS does not list the quota of ${what}`)];
    const has = `${used} of ${quota.Value} ${what} are in use, and the stage needs ${needs(type)}`;
    const fix = increase(service, quota.QuotaCode, used + needs(type));
    return [used + needs(type) <= quota.Value ? ok(has) : fails(has, fix)];
  });
  return (await Promise.all(findings)).flat();
}
