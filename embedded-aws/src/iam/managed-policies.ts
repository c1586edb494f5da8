import type { Statement } from './policy.ts';

// https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html

/** The managed policies of AWS that a template may attach, by their path and name. */
const managedPolicies: Record<string, readonly Statement[]> = {
  'service-role/AWSLambdaBasicExecutionRole': [
    { Effect: 'Allow', Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], Resource: '*' },
  ],
  AWSXRayDaemonWriteAccess: [
    {
      Effect: 'Allow',
      Action: [
        'xray:PutTraceSegments',
        'xray:PutTelemetryRecords',
        'xray:GetSamplingRules',
        'xray:GetSamplingTargets',
        'xray:GetSamplingStatisticSummaries',
      ],
      Resource: '*',
    },
  ],
  'service-role/AmazonECSTaskExecutionRolePolicy': [
    {
      Effect: 'Allow',
      Action: [
        'ecr:GetAuthorizationToken',
        'ecr:BatchCheckLayerAvailability',
        'ecr:GetDownloadUrlForLayer',
        'ecr:BatchGetImage',
        'logs:CreateLogStream',
        'logs:PutLogEvents',
      ],
      Resource: '*',
    },
  ],
  AmazonSSMManagedInstanceCore: [
    {
      Effect: 'Allow',
      Action: [
        'ssm:DescribeAssociation',
        'ssm:GetDeployablePatchSnapshotForInstance',
        'ssm:GetDocument',
        'ssm:DescribeDocument',
        'ssm:GetManifest',
        'ssm:GetParameter',
        'ssm:GetParameters',
        'ssm:ListAssociations',
        'ssm:ListInstanceAssociations',
        'ssm:PutInventory',
        'ssm:PutComplianceItems',
        'ssm:PutConfigurePackageResult',
        'ssm:UpdateAssociationStatus',
        'ssm:UpdateInstanceAssociationStatus',
        'ssm:UpdateInstanceInformation',
        'ssmmessages:*',
        'ec2messages:*',
      ],
      Resource: '*',
    },
  ],
};

/** The statements of a managed policy of AWS. @throws for one that is not listed, because its rights are unknown */
export function managedPolicy(arn: string): readonly Statement[] {
  const name = /^arn:aws[\w-]*:iam::aws:policy\/(.+)$/.exec(arn)?.[1] ?? '';
  const statements = Object.hasOwn(managedPolicies, name) && managedPolicies[name];
  if (!statements) throw new Error(`The embedded IAM does not know the managed policy ${arn}.`);
  return statements;
}
