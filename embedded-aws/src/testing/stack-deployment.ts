import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createStackDeployment,
  type StackDeployment,
  type DeploymentOptions as StackOptions,
} from '../cloudformation/deploy-stack.ts';
import type { Policy } from '../iam/policy.ts';
import { createPrincipals, type Role } from '../iam/principals.ts';
import { deliveringService, deliveryContext } from '../logs/log-deliveries.ts';
import { createLogs, logsTarget } from '../logs/logs-service.ts';
import { openSsm, ssmTarget } from '../ssm/ssm-server.ts';
import { bucketOf } from '../template/distributions/read-log-deliveries.ts';
import { readBucketPolicies } from '../template/read-bucket-policies.ts';
import { readRoles, roleNameOf } from '../template/read-roles.ts';
import { accountId, region } from '../template/resource-identity.ts';
import { serveControl } from './serve-control.ts';

/** `environment` has the variables of the function, and those with which its clients call the embedded services. */
type RunFunction = (functionName: string, event: object, environment: Record<string, string>) => Promise<void>;

export type DeploymentOptions = Pick<StackOptions, 'random' | 'deletionProblem' | 'limits'> & {
  stackName: string;
  /** Runs a function of a custom resource in this process. */
  run: RunFunction;
};

/**
 * Deploys templates as CloudFormation does, resource by resource. The functions of custom resources call embedded
 * services, which see the roles and the bucket policies that exist at that moment.
 */
export async function openDeployment({ stackName, run, ...options }: DeploymentOptions) {
  const location = { stackName, region, accountId, apiUrl: 'http://127.0.0.1:3000' };
  const folder = await mkdtemp(join(tmpdir(), 'deployment-'));
  const ssm = await openSsm({ file: join(folder, 'parameters.json'), region });
  const refused: string[] = [];
  const principals = createPrincipals(Buffer.alloc(32, 1), { sessionSeconds: 3600, now: Date.now });
  let deployment: StackDeployment | undefined;
  const present = () => deployment!.resources.present();
  const policyOf =
    (roleName: string): Policy =>
    (request) => {
      const isAllowed = readRoles(present(), accountId)(roleName, 'lambda.amazonaws.com')(request);
      if (!isAllowed) refused.push(`${request.action} on ${request.resource}`);
      return isAllowed;
    };
  const roles = new Map<string, Role>();
  const logs = createLogs({
    region,
    accountId,
    logGroups: () => [],
    mayWrite(destinationArn, sourceArn) {
      const policy = readBucketPolicies(present())(bucketOf(destinationArn).bucket, deliveringService);
      const resource = `${destinationArn}/AWSLogs/${accountId}/file`;
      const isAllowed = policy({ action: 's3:PutObject', resource, context: deliveryContext(accountId, sourceArn) });
      if (!isAllowed) refused.push(`delivery to ${destinationArn}`);
      return isAllowed;
    },
  });
  const served = await serveControl({
    region,
    find: principals.find,
    targets: new Map([
      [logsTarget, logs.service],
      [ssmTarget, ssm.service],
    ]),
  });

  /** Runs a function with its variables and the credentials of its role. */
  async function invoke(functionArn: string, event: object) {
    const found = present()
      .resources('AWS::Lambda::Function')
      .find(({ arn }) => arn === functionArn);
    const {
      FunctionName = '',
      Role,
      Environment,
    } = (found?.properties ?? {}) as {
      FunctionName?: string;
      Role?: string;
      Environment?: { Variables?: Record<string, string> };
    };
    if (!Role) throw new Error(`No function ${functionArn} exists now.`);
    const roleName = roleNameOf(Role);
    const arn = `arn:aws:sts::${accountId}:assumed-role/${roleName}/${FunctionName}`;
    const role = roles.get(roleName) ?? principals.addRole(roleName, { arn, policy: policyOf(roleName) });
    roles.set(roleName, role);
    const { accessKeyId, secretAccessKey, sessionToken } = role.issue();
    await run(FunctionName, event, {
      ...Environment?.Variables,
      AWS_ENDPOINT_URL: served.endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken!,
      // The functions share this process: each request reads the credentials again.
      AWS_CREDENTIAL_EXPIRATION: new Date(Date.now() + 60_000).toISOString(),
    });
    return {};
  }

  let creationProblem: StackOptions['creationProblem'];
  deployment = createStackDeployment({
    location,
    invoke,
    ...options,
    creationProblem: (...resource) => creationProblem?.(...resource),
  });
  return {
    ...deployment,
    /** Has resources refused from now on. */
    refuseCreation(problem: NonNullable<StackOptions['creationProblem']>): void {
      creationProblem = problem;
    },
    /** What roles and bucket policies did not allow. */
    refused,
    logs: logs.deliveries,
    async stop(): Promise<void> {
      await served.stop();
      await ssm.close();
      await rm(folder, { recursive: true });
    },
  };
}
