import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import * as ecs from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { encoderFolder } from './bundle-folders.ts';
import type { Resource } from './function.ts';
import { logRemoval } from './log-removal.ts';
import { imagePlatform, nodeImage } from './node-image.ts';
import { parameterPrefix } from './parameters.ts';

const containerName = 'encoder';

/** Fargate workers: the overflow of the registered nodes. They pull jobs by HTTPS and hold no rights in the account. */
export class Workers extends Construct {
  readonly tasks: Resource<'start'>;
  /** What it takes to answer a worker's calls: the pace to set them. */
  readonly calls: Resource<'answer'>;
  /** The same program for registered servers. */
  readonly nodeImage: Resource<'pull'>;

  /** @param apiUrl where the workers find the API, without a slash at its end */
  constructor(scope: Construct, id: string, { settings, apiUrl }: { settings: Settings; apiUrl: string }) {
    super(scope, id);
    this.calls = answerableCalls(settings);
    const vpc = this.#publicNetwork();
    const cluster = new ecs.Cluster(this, 'Cluster', {
      clusterName: `video-service-${settings.stage}`,
      vpc,
      enableFargateCapacityProviders: true,
      containerInsightsV2: ecs.ContainerInsights.ENABLED,
    }) as ecs.ICluster;
    const securityGroup = new ec2.SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'Workers call out and are never called',
      allowAllOutbound: true,
    });
    const image = settings.workers.image ?? this.#build(settings);
    this.nodeImage = nodeImage('WORKER_IMAGE', settings.nodes.workerImage ?? image);
    this.tasks = startableTasks({ settings, vpc, cluster, securityGroup, task: this.#task(settings, apiUrl, image) });
  }

  // Public subnets with no way in: a NAT gateway would cost more than the tasks of a small service, for nothing that the security group lacks.
  #publicNetwork(): ec2.IVpc {
    return new ec2.Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: 'workers', subnetType: ec2.SubnetType.PUBLIC, cidrMask: 20 }],
      gatewayEndpoints: { Store: { service: ec2.GatewayVpcEndpointAwsService.S3 } },
    }) as ec2.IVpc;
  }

  #build({ workers }: Settings): DockerImageAsset {
    return new DockerImageAsset(this, 'Image', { directory: encoderFolder(this), platform: imagePlatform(workers) });
  }

  #task(settings: Settings, apiUrl: string, image: string | DockerImageAsset): ecs.FargateTaskDefinition {
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
      // No statement is ever added: what a worker may touch is in the presigned URLs of its job.
      taskRole: new Role(this, 'TaskRole', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }),
      volumes: [{ name: 'scratch' }],
    });
    // The init process reaps what a killed ffmpeg leaves behind.
    const linuxParameters = new ecs.LinuxParameters(this, 'LinuxParameters', { initProcessEnabled: true });
    linuxParameters.dropCapabilities(ecs.Capability.ALL);
    const container = task.addContainer(containerName, {
      image:
        typeof image === 'string'
          ? ecs.ContainerImage.fromRegistry(image)
          : ecs.ContainerImage.fromDockerImageAsset(image),
      user: '1000:1000',
      readonlyRootFilesystem: true,
      linuxParameters,
      environment: {
        SYNC_URL: `${apiUrl}/api/workers/sync`,
        IDLE_EXIT_SECONDS: String(workers.idleExitSeconds),
        TMPDIR: '/scratch',
        LOG_LEVEL: settings.logLevel.toLowerCase(),
      },
      secrets: {
        WORKER_TOKEN: ecs.Secret.fromSsmParameter(
          StringParameter.fromSecureStringParameterAttributes(this, 'Token', {
            parameterName: `${parameterPrefix(settings)}/worker-token`,
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
    // What the embedded cloud runs in the container's stead, from the folder of the synthesised app.
    (task.node.defaultChild as ecs.CfnTaskDefinition).addMetadata(
      'embedded-aws:container-entry',
      'encoder-task/main.mjs',
    );
    return task;
  }
}

function answerableCalls(settings: Settings): Resource<'answer'> {
  return {
    environment: {
      IDLE_SYNC_MS: String(settings.workers.idleSyncMs),
      BUSY_SYNC_MS: String(settings.workers.busySyncMs),
      PROGRESS_STEP: String(settings.workers.progressStep),
    },
    statements: () => [],
  };
}

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
    CONTAINER_NAME: containerName,
    SUBNETS: vpc.publicSubnets.map(({ subnetId }) => subnetId).join(','),
    SECURITY_GROUP: securityGroup.securityGroupId,
    MAX_TASKS: String(settings.workers.maxTasks),
    SPOT_TASK_SHARE: String(settings.workers.spotTaskShare),
    SECONDS_PER_TASK: String(settings.workers.secondsPerTask),
  },
  statements: () => {
    const inCluster = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } };
    return [
      new PolicyStatement({
        actions: ['ecs:RunTask'],
        resources: [task.taskDefinitionArn],
        conditions: inCluster,
      }),
      // Counts the tasks that run; the action knows no resource but container instances, of which Fargate has none.
      new PolicyStatement({ actions: ['ecs:ListTasks'], resources: ['*'], conditions: inCluster }),
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [task.taskRole.roleArn, task.obtainExecutionRole().roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      }),
    ];
  },
});
