import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, paginateDescribeLogGroups } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeRepositoriesCommand, ECRClient } from '@aws-sdk/client-ecr';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { imageRepositoryName } from '../../infra/images/image-names.ts';
import { type Check, type Finding, fails, isNamed, ok } from './check.ts';
import { namesOf, type Stage } from './read-stage.ts';

/** Whether the stacks of the stage can be created or updated, and whether the names of their resources are free. */
export const stackChecks = (stage: Stage): Check[] => [
  ...Object.values(stage.stackNames).map((name) => ({ name: 'stack', run: () => checkStack(name) })),
  { name: 'names', run: () => checkNames(stage) },
];

const describeStack = async (StackName: string) => {
  try {
    const { Stacks } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    if (isNamed(error, 'ValidationError')) return undefined;
    throw error;
  }
};

async function checkStack(name: string): Promise<Finding> {
  const status = (await describeStack(name))?.StackStatus;
  if (status === undefined) return ok(`${name} does not exist: the deployment creates it`);
  const text = `${name} is in the state ${status}`;
  if (/^(ROLLBACK_COMPLETE|ROLLBACK_FAILED|CREATE_FAILED|DELETE_FAILED)$/.test(status)) {
    return fails(text, `aws cloudformation delete-stack --stack-name ${name}`);
  }
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    return fails(text, `aws cloudformation continue-update-rollback --stack-name ${name}`);
  }
  if (status.endsWith('_IN_PROGRESS')) return fails(text, 'wait until it has ended, then run this again');
  return ok(text);
}

/** The physical ids of the resources of the stacks that exist. */
async function ownNames({ stackNames }: Stage): Promise<Set<string>> {
  const client = new CloudFormationClient();
  const own = new Set<string>();
  for (const StackName of Object.values(stackNames)) {
    if (!(await describeStack(StackName))) continue;
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
      for (const { PhysicalResourceId } of StackResourceSummaries) own.add(PhysicalResourceId ?? '');
    }
  }
  return own;
}

type NamedKind = {
  what: string;
  wanted: string[];
  existing: () => Promise<string[]>;
  removal: (name: string) => string;
};

async function checkNames(stage: Stage): Promise<Finding[]> {
  const own = await ownNames(stage);
  const findings = kindsOf(stage).map(async ({ what, wanted, existing, removal }) => {
    const present = new Set(await existing());
    const taken = wanted.filter((name) => present.has(name) && !own.has(name));
    if (taken.length === 0) return [ok(`no ${what} of another deployment is in the way`)];
    return taken.map((name) => fails(`the ${what} ${name} exists already`, removal(name)));
  });
  return (await Promise.all(findings)).flat();
}

const kindsOf = (stage: Stage): NamedKind[] => [
  {
    // A stage with `keepData` keeps them when its stack is deleted.
    what: 'log group',
    wanted: namesOf(stage, 'AWS::Logs::LogGroup', 'LogGroupName'),
    existing: async () => {
      const wanted = namesOf(stage, 'AWS::Logs::LogGroup', 'LogGroupName');
      const ofStage = new RegExp(`^.*?video-service[-/]${stage.settings.stage}`);
      const prefixes = new Set(wanted.flatMap((name) => ofStage.exec(name)?.[0] ?? []));
      return (await Promise.all([...prefixes].map(logGroups))).flat();
    },
    removal: (name) => `aws logs delete-log-group --log-group-name ${name}`,
  },
  {
    what: 'function',
    wanted: namesOf(stage, 'AWS::Lambda::Function', 'FunctionName'),
    existing: functions,
    removal: (name) => `aws lambda delete-function --function-name ${name}`,
  },
  {
    what: 'repository of images',
    wanted: [imageRepositoryName(stage.settings.stage)],
    existing: () => repositories(imageRepositoryName(stage.settings.stage)),
    removal: (name) => `aws ecr delete-repository --repository-name ${name} --force`,
  },
];

async function logGroups(logGroupNamePrefix: string): Promise<string[]> {
  const client = new CloudWatchLogsClient();
  const names: string[] = [];
  for await (const { logGroups: page = [] } of paginateDescribeLogGroups({ client }, { logGroupNamePrefix })) {
    names.push(...page.map(({ logGroupName = '' }) => logGroupName));
  }
  return names;
}

async function functions(): Promise<string[]> {
  const client = new LambdaClient();
  const names: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    names.push(...Functions.map(({ FunctionName = '' }) => FunctionName));
  }
  return names;
}

async function repositories(name: string): Promise<string[]> {
  try {
    await new ECRClient().send(new DescribeRepositoriesCommand({ repositoryNames: [name] }));
    return [name];
  } catch (error) {
    if (isNamed(error, 'RepositoryNotFoundException')) return [];
    throw error;
  }
}
