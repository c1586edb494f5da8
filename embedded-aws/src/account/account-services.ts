import type { ControlService } from '../control/control-service.ts';
import { ServiceError } from '../control/json-protocol.ts';
import { operationHandler } from '../control/operation-handler.ts';
import { forAllResources, type QueryContent, queryService } from '../control/query-service.ts';
import { authorize } from '../iam/authorize.ts';
import type { AccountLimits } from './account-limits.ts';

/** What exists in an account, beside the contents of the services. */
export type Account = {
  accountId: string;
  limits: AccountLimits;
  /** The names of the resources of a type, such as `AWS::Logs::LogGroup`. */
  names: (type: string) => readonly string[];
  /** Roles that services of AWS have for themselves. */
  serviceLinkedRoles: readonly string[];
};

export type AccountServices = { targets: [string, ControlService][]; forms: [string, ControlService][] };

type Input = Record<string, unknown>;

/** The services by which an operator finds out whether a stage can be deployed. They only read. */
export function accountServices(account: Account): AccountServices {
  return {
    targets: [
      [
        'ServiceQuotasV20190624',
        jsonService('servicequotas', { ListServiceQuotas: (input) => listQuotas(account.limits, input) }),
      ],
      [
        'AmazonEC2ContainerRegistry_V20150921',
        jsonService('ecr', { DescribeRepositories: (input) => describeRepositories(account, input) }),
      ],
    ],
    forms: [
      ['iam', iamService(account)],
      ['ec2', networkService(account)],
    ],
  };
}

/** Operations that need their permission for all resources. */
const jsonService = (
  signingName: string,
  operations: Readonly<Record<string, (input: Input) => object>>,
): ControlService => ({
  signingName,
  protocol: 'json-1.1',
  maxBodyBytes: 64 * 1024,
  handle: operationHandler({
    protocol: 'json-1.1',
    operations,
    perform(operation, { name, input, caller }) {
      authorize(caller, `${signingName}:${name}`, '*');
      return operation(input);
    },
  }),
});

function listQuotas(limits: AccountLimits, { ServiceCode }: Input): object {
  const quotas: Record<string, [QuotaName: string, QuotaCode: string, Value: number][]> = {
    ec2: [['EC2-VPC Elastic IPs', 'L-0263D0A3', limits.addresses]],
    fargate: [
      ['Fargate On-Demand vCPU resource count', 'L-3032A538', limits.onDemandVcpus],
      ['Fargate Spot vCPU resource count', 'L-36FBB829', limits.spotVcpus],
    ],
    lambda: [['Concurrent executions', 'L-B99A9384', limits.concurrentExecutions]],
    vpc: [['VPCs per Region', 'L-F678F1CE', limits.vpcs]],
  };
  const listed = Object.hasOwn(quotas, String(ServiceCode)) ? quotas[String(ServiceCode)]! : undefined;
  if (!listed) throw new ServiceError('NoSuchResourceException', `There is no service ${ServiceCode}.`);
  return { Quotas: listed.map(([QuotaName, QuotaCode, Value]) => ({ ServiceCode, QuotaName, QuotaCode, Value })) };
}

function describeRepositories({ names }: Account, { repositoryNames }: Input): object {
  const known = names('AWS::ECR::Repository');
  const asked = Array.isArray(repositoryNames) ? repositoryNames.map(String) : known;
  const missing = asked.find((name) => !known.includes(name));
  if (missing === undefined) return { repositories: asked.map((repositoryName) => ({ repositoryName })) };
  throw new ServiceError('RepositoryNotFoundException', `The repository with name '${missing}' does not exist.`);
}

const iamService = ({ accountId, serviceLinkedRoles }: Account): ControlService =>
  queryService({
    signingName: 'iam',
    namespace: 'https://iam.amazonaws.com/doc/2010-05-08/',
    operations: {
      GetRole(input, caller) {
        const RoleName = input.get('RoleName') ?? '';
        const Arn = `arn:aws:iam::${accountId}:role/${RoleName}`;
        authorize(caller, 'iam:GetRole', Arn);
        if (serviceLinkedRoles.includes(RoleName)) return { Role: { RoleName, Arn, Path: '/' } };
        throw new ServiceError('NoSuchEntityException', `The role with name ${RoleName} cannot be found.`);
      },
    },
  });

function networkService({ names }: Account): ControlService {
  const items = (type: string, id: string): QueryContent => ({ item: names(type).map((name) => ({ [id]: name })) });
  return queryService({
    signingName: 'ec2',
    namespace: 'http://ec2.amazonaws.com/doc/2016-11-15/',
    dialect: 'ec2',
    operations: {
      DescribeVpcs: forAllResources('ec2:DescribeVpcs', () => ({ vpcSet: items('AWS::EC2::VPC', 'vpcId') })),
      DescribeAddresses: forAllResources('ec2:DescribeAddresses', () => ({
        addressesSet: items('AWS::EC2::EIP', 'allocationId'),
      })),
    },
  });
}
