import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { serveControl } from '../../../test/fixtures/servers/serve-control.ts';
import type { AccountLimits } from '../../src/account/account-limits.ts';
import {
  createStackDeployment,
  type DeploymentOptions,
  type StackDeployment,
} from '../../src/cloudformation/deploy-stack.ts';
import type { Policy } from '../../src/iam/policy.ts';
import { createPrincipals, type Role } from '../../src/iam/principals.ts';
import { deliveringService, deliveryContext } from '../../src/logs/log-deliveries.ts';
import { createLogs, logsTarget } from '../../src/logs/logs-service.ts';
import { openSsm, ssmTarget } from '../../src/ssm/ssm-server.ts';
import { placeOf } from '../../src/template/distributions/read-log-deliveries.ts';
import { readBucketPolicies } from '../../src/template/read-bucket-policies.ts';
import { readRoles, roleNameOf } from '../../src/template/read-roles.ts';

const region = 'local-1';
const accountId = '000000000000';

/** The functions of custom resources, by the end of their names. Their clients keep the endpoint of a stage. */
async function loadFunctions(): Promise<Record<string, (event: unknown) => Promise<void>>> {
  vi.resetModules();
  const edgeLog = await import('../../../functions/delivery/deployment/edge-log.lambda.ts');
  const originSecret = await import('../../../functions/delivery/deployment/origin-secret.lambda.ts');
  return { 'edge-log': edgeLog.handler, 'origin-secret': originSecret.handler };
}

type StageOptions = Pick<DeploymentOptions, 'random' | 'deletionProblem'> & {
  stage: string;
  limits?: AccountLimits;
};

/**
 * A stage that is deployed with the real functions of its custom resources. They call embedded services, which see the
 * roles and the bucket policies that exist at that moment.
 */
export async function openStage({ stage, ...options }: StageOptions) {
  const functions = await loadFunctions();
  const place = { stackName: `video-service-${stage}`, region, accountId, apiUrl: 'http://127.0.0.1:3000' };
  const folder = await mkdtemp(join(tmpdir(), 'deployed-stage-'));
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
      const policy = readBucketPolicies(present())(placeOf(destinationArn).bucket, deliveringService);
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
  onTestFinished(async () => {
    await served.stop();
    await ssm.close();
    await rm(folder, { recursive: true });
    vi.unstubAllEnvs();
  });

  /** Runs a function in this process, with its variables and the credentials of its role. */
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
    const [, handler] = Object.entries(functions).find(([name]) => FunctionName.endsWith(`-${name}`)) ?? [];
    if (!handler || !Role) throw new Error(`No function ${functionArn} exists now.`);
    const roleName = roleNameOf(Role);
    const arn = `arn:aws:sts::${accountId}:assumed-role/${roleName}/${FunctionName}`;
    const role = roles.get(roleName) ?? principals.addRole(roleName, { arn, policy: policyOf(roleName) });
    roles.set(roleName, role);
    const { accessKeyId, secretAccessKey, sessionToken } = role.issue();
    const variables = {
      ...Environment?.Variables,
      AWS_ENDPOINT_URL: served.endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken!,
      // The functions share this process: each request reads the credentials again.
      AWS_CREDENTIAL_EXPIRATION: new Date(Date.now() + 60_000).toISOString(),
    };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    await handler(event);
    return {};
  }

  let creationProblem: DeploymentOptions['creationProblem'];
  deployment = createStackDeployment({
    place,
    invoke,
    ...options,
    creationProblem: (...resource) => creationProblem?.(...resource),
  });
  return {
    ...deployment,
    /** Has resources refused from now on. */
    refuseCreation(problem: NonNullable<DeploymentOptions['creationProblem']>): void {
      creationProblem = problem;
    },
    /** What roles and bucket policies did not allow. */
    refused,
    logs: logs.deliveries,
  };
}
