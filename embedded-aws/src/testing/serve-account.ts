import { type AccountLimits, usualLimits } from '../account/account-limits.ts';
import { accountServices } from '../account/account-services.ts';
import { cloudFormationService, type StackDescription } from '../cloudformation/cloudformation-server.ts';
import { invokeService } from '../lambda/invoke-service.ts';
import { createLogs, logsTarget } from '../logs/logs-service.ts';
import { openSsm, ssmTarget } from '../ssm/ssm-server.ts';
import { accountId, region } from '../template/resource-identity.ts';
import { serveControl } from './serve-control.ts';

export type AccountServer = {
  /** Of the parameter store. */
  file: string;
  limits?: AccountLimits;
  /** The names of the resources of a type, such as `AWS::Logs::LogGroup`. */
  names?: Readonly<Record<string, string[]>>;
  serviceLinkedRoles: readonly string[];
  /** Values of parameters, by name. */
  parameters?: Readonly<Record<string, string>>;
  stack: StackDescription;
};

/** Serves an account in which no function runs: what an operator reads before and after a deployment. */
export async function serveAccount({ file, limits = usualLimits, names = {}, stack, ...more }: AccountServer) {
  const { serviceLinkedRoles, parameters = {} } = more;
  const known = { type: 'String', tier: 'Standard', dataType: 'text', version: 1, lastModifiedMs: 0 } as const;
  const given = new Map(Object.entries(parameters).map(([name, value]) => [name, { ...known, value }]));
  const ssm = await openSsm({ file, region, given });
  const namesOf = (type: string): readonly string[] => names[type] ?? [];
  const { targets, forms } = accountServices({ accountId, limits, names: namesOf, serviceLinkedRoles });
  const logs = createLogs({
    region,
    accountId,
    mayWrite: () => false,
    logGroups: () => namesOf('AWS::Logs::LogGroup'),
  });
  const refuse = () => Promise.reject(new Error('no function runs here'));
  const served = await serveControl({
    region,
    targets: new Map([...targets, [ssmTarget, ssm.service], [logsTarget, logs.service]]),
    forms: new Map([...forms, ['cloudformation', cloudFormationService(stack)]]),
    lambda: invokeService({ functions: [], limits, invoke: refuse, enqueue: refuse }),
  });
  return {
    ...served,
    async stop(): Promise<void> {
      await served.stop();
      await ssm.close();
    },
  };
}
