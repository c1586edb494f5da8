import { Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import * as ecs from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { imageRepositoryName } from '../images/image-names.ts';
import type { Settings } from '../settings.ts';
import type { Resource } from './function.ts';
import { logRemoval } from './log-removal.ts';
import { byArchitecture, type Images, nodeImage, workerImage } from './node-image.ts';
import { parameterPrefix, secretsKey } from './parameters.ts';

const containerName = 'encoder';

/**
 * Fargate workers for jobs that exceed the capacity of the nodes. They pull jobs over HTTPS, without AWS permissions.
 */
export class Workers extends Construct {
  readonly tasks: Resource<'start'>;
  /** The call intervals that the API returns to workers. */
  readonly syncSettings: Resource<'read'>;
  /** The image that the stage builds. Undefined if the settings name one in another registry. */
  readonly builtImage: DockerImageAsset | undefined;
  /** The image for registered servers. */
  readonly nodeImage: Resource<'pull'>;

  /** @param apiUrl URL of the API, without a trailing slash */
  constructor(scope: Construct, id: string, { settings, apiUrl }: { settings: Settings; apiUrl: string }) {
    super(scope, id);
    this.syncSettings = syncSettings(settings);
    const vpc = this.#publicNetwork(settings.workers.zones);
    const cluster = new ecs.Cluster(this, 'Cluster', {
      clusterName: `video-service-${settings.stage}`,
      vpc,
      enableFargateCapacityProviders: true,
      // Each of its 25 metrics costs $0.30 a month, and neither an alarm nor the dashboard uses one.
      containerInsightsV2: ecs.ContainerInsights.DISABLED,
    }) as ecs.ICluster;
    const securityGroup = new ec2.SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'Outbound connections of workers only',
      allowAllOutbound: true,
    });
    const { image, architecture } = settings.workers;
    const isOwn = image === null || ownDigest(settings) !== undefined;
    this.builtImage = isOwn ? workerImage(this, architecture) : undefined;
    this.nodeImage = nodeImage('worker', settings.nodes.workerImage ?? this.#forNodes(settings));
    const task = this.#task(settings, apiUrl);
    this.tasks = startableTasks({ settings, vpc, cluster, securityGroup, task });
  }

  // Public subnets without inbound rules. A NAT gateway would cost more than the tasks of a small service, and the
  // security group already blocks inbound connections.
  #publicNetwork(zones: number): ec2.IVpc {
    return new ec2.Vpc(this, 'Vpc', {
      maxAzs: zones,
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: 'workers', subnetType: ec2.SubnetType.PUBLIC, cidrMask: 20 }],
      gatewayEndpoints: { Store: { service: ec2.GatewayVpcEndpointAwsService.S3 } },
    }) as ec2.IVpc;
  }

  /** Nodes may have another architecture than the Fargate tasks. */
  #forNodes({ workers }: Settings): string | Images {
    const { builtImage } = this;
    if (!builtImage) return workers.image!;
    return byArchitecture((one) => (one === workers.architecture ? builtImage : workerImage(this, one)));
  }

  /** A digest in the repository of the stage is that of a converted image: the task may pull it like the built one. */
  #ofTask(settings: Settings): ecs.ContainerImage {
    const { builtImage } = this;
    if (!builtImage) return ecs.ContainerImage.fromRegistry(settings.workers.image!);
    const digest = ownDigest(settings);
    return digest === undefined
      ? ecs.ContainerImage.fromDockerImageAsset(builtImage)
      : ecs.ContainerImage.fromEcrRepository(builtImage.repository, digest);
  }

  #task(settings: Settings, apiUrl: string): ecs.FargateTaskDefinition {
    const { workers, stage } = settings;
    const task = new ecs.FargateTaskDefinition(this, 'Task', {
      family: `video-service-${stage}-encoder`,
      cpu: workers.cpuUnits,
      memoryLimitMiB: workers.memoryMib,
      ephemeralStorageGiB: workers.scratchGib,
      runtimePlatform: {
        operatingSystemFamily: ecs.OperatingSystemFamily.LINUX,
        cpuArchitecture: ecs.CpuArchitecture.of(workers.architecture === 'arm64' ? 'ARM64' : 'X86_64'),
      },
      // It has no policy: presigned URLs of a job give a worker access to its files.
      taskRole: new Role(this, 'TaskRole', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }),
      volumes: [{ name: 'scratch' }],
    });
    // The init process reaps the children of a killed ffmpeg.
    const linuxParameters = new ecs.LinuxParameters(this, 'LinuxParameters', { initProcessEnabled: true });
    linuxParameters.dropCapabilities(ecs.Capability.ALL);
    const container = task.addContainer(containerName, {
      image: this.#ofTask(settings),
      user: '1000:1000',
      readonlyRootFilesystem: true,
      linuxParameters,
      environment: {
        SYNC_URL: `${apiUrl}/api/workers/sync`,
        IDLE_EXIT_SECONDS: String(workers.idleExitSeconds),
        TMPDIR: '/scratch',
        LOG_LEVEL: settings.logLevel.toLowerCase(),
        // It gets the model with a job.
        ...(settings.transcription && { TRANSCRIBER: 'on' }),
      },
      secrets: {
        WORKER_TOKEN: ecs.Secret.fromSsmParameter(
          StringParameter.fromSecureStringParameterAttributes(this, 'Token', {
            parameterName: `${parameterPrefix(settings)}/worker-token`,
            encryptionKey: secretsKey(this, settings),
          }),
        ),
      },
      logging: ecs.LogDriver.awsLogs({
        streamPrefix: containerName,
        logGroup: new LogGroup(this, 'Log', {
          logGroupName: `/video-service/${stage}/encoder`,
          retention: settings.logRetentionDays,
          removalPolicy: logRemoval(settings),
        }),
      }),
    });
    container.addMountPoints({ sourceVolume: 'scratch', containerPath: '/scratch', readOnly: false });
    // The program that the embedded AWS runs instead of the container, from the folder of the synthesised app.
    (task.node.defaultChild as ecs.CfnTaskDefinition).addMetadata(
      'embedded-aws:container-entry',
      'encoder-task/main.mjs',
    );
    return task;
  }
}

/** The digest of `workers.image`, if it names an image in the repository of the stage. */
function ownDigest({ workers, stage }: Settings): string | undefined {
  const own = new RegExp(`\\.dkr\\.ecr\\.[^/]+/${imageRepositoryName(stage)}@(sha256:[0-9a-f]{64})$`);
  return own.exec(workers.image ?? '')?.[1];
}

function syncSettings(settings: Settings): Resource<'read'> {
  return {
    environment: {
      IDLE_SYNC_MS: settings.workers.idleSyncMs,
      BUSY_SYNC_MS: settings.workers.busySyncMs,
      PROGRESS_STEP: settings.workers.progressStep,
    },
    statements: () => [],
  };
}

const tasksOf = (cluster: ecs.ICluster): string[] => [
  Stack.of(cluster).formatArn({ service: 'ecs', resource: 'task', resourceName: `${cluster.clusterName}/*` }),
];

type TaskParts = {
  settings: Settings;
  vpc: ec2.IVpc;
  cluster: ecs.ICluster;
  securityGroup: ec2.ISecurityGroup;
  task: ecs.FargateTaskDefinition;
};

const startableTasks = ({ settings, vpc, cluster, securityGroup, task }: TaskParts): Resource<'start'> => ({
  environment: {
    CLUSTER: cluster.clusterArn,
    TASK_DEFINITION: task.taskDefinitionArn,
    TASK_DEFINITION_FAMILY: task.family,
    SUBNETS: vpc.publicSubnets.map(({ subnetId }) => subnetId),
    SECURITY_GROUP: securityGroup.securityGroupId,
    MAX_TASKS: settings.workers.maxTasks,
    CORES_PER_TASK: settings.workers.cpuUnits / 1024,
    SPOT_TASK_SHARE: settings.workers.spotTaskShare,
    SECONDS_PER_TASK: settings.workers.secondsPerTask,
  },
  statements: () => {
    const inCluster = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } };
    return [
      // Of all revisions: a deployment replaces revision, policy and environment one after the other.
      new PolicyStatement({
        actions: ['ecs:RunTask'],
        resources: [
          Stack.of(cluster).formatArn({
            service: 'ecs',
            resource: 'task-definition',
            resourceName: `${task.family}:*`,
          }),
        ],
        conditions: inCluster,
      }),
      // Passes the tags of the task definition on.
      new PolicyStatement({
        actions: ['ecs:TagResource'],
        resources: tasksOf(cluster),
        conditions: { StringEquals: { 'ecs:CreateAction': 'RunTask' } },
      }),
      // Counts running tasks. The only resource type of the action is container instances, which Fargate does not
      // have.
      new PolicyStatement({ actions: ['ecs:ListTasks'], resources: ['*'], conditions: inCluster }),
      // Finds out which tasks of recent launches have stopped.
      new PolicyStatement({
        actions: ['ecs:DescribeTasks'],
        resources: tasksOf(cluster),
        conditions: inCluster,
      }),
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [task.taskRole.roleArn, task.obtainExecutionRole().roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      }),
    ];
  },
});
