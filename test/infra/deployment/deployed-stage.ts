import { type AccountLimits, openDeployment } from 'embedded-aws/testing';
import { onTestFinished, vi } from 'vitest';

/** The functions of custom resources, by the end of their names. Their clients keep the endpoint of a stage. */
async function loadFunctions(): Promise<Record<string, (event: unknown) => Promise<void>>> {
  vi.resetModules();
  const edgeLog = await import('../../../functions/delivery/deployment/edge-log.lambda.ts');
  const originSecret = await import('../../../functions/delivery/deployment/origin-secret.lambda.ts');
  return { 'edge-log': edgeLog.handler, 'origin-secret': originSecret.handler };
}

type StageOptions = Pick<Parameters<typeof openDeployment>[0], 'random' | 'deletionProblem'> & {
  stage: string;
  limits?: AccountLimits;
};

/** A stage that is deployed with the real functions of its custom resources. */
export async function openStage({ stage, ...options }: StageOptions) {
  const functions = await loadFunctions();
  const deployment = await openDeployment({
    stackName: `video-service-${stage}`,
    ...options,
    async run(functionName, event, environment) {
      const [, handler] = Object.entries(functions).find(([name]) => functionName.endsWith(`-${name}`)) ?? [];
      if (!handler) throw new Error(`No function ${functionName} is known here.`);
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      await handler(event);
    },
  });
  onTestFinished(async () => {
    await deployment.stop();
    vi.unstubAllEnvs();
  });
  return deployment;
}
