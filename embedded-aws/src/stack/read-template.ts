import { creationOrder, inCreationOrder } from '../cloudformation/check-template.ts';
import { readCloudAssembly } from '../template/cloud-assembly.ts';
import { type CustomAttributes, deployedTemplate, type Template } from '../template/deployed-template.ts';
import { readDistributions } from '../template/distributions/read-distributions.ts';
import { readAsyncSettings } from '../template/read-async-settings.ts';
import { readEventSourceMappings } from '../template/read-event-source-mappings.ts';
import { readQueues } from '../template/read-queues.ts';
import { readRoles, roleNameOf } from '../template/read-roles.ts';
import { readRoutes } from '../template/read-routes.ts';
import { readRules } from '../template/read-rules.ts';
import { readStateMachines } from '../template/read-state-machines.ts';
import { readTables } from '../template/read-tables.ts';
import { readThrottle } from '../template/read-throttle.ts';
import { accountId, region, type StackLocation } from '../template/resource-identity.ts';

/**
 * What the embedded AWS reads from a template, as if it were deployed at `place`. Each part is read when it is asked
 * for. @throws for values that the embedded AWS refuses
 */
export function readTemplate(template: Template, location: StackLocation, customAttributes?: CustomAttributes) {
  const deployed = deployedTemplate(template, location, customAttributes);
  return {
    ...deployed,
    /** The logical ids of the resources in an order in which they can be created. */
    creationOrder: () => creationOrder(template),
    asyncSettings: () => readAsyncSettings(deployed),
    distributions: () => readDistributions(deployed),
    eventSourceMappings: () => readEventSourceMappings(deployed),
    queues: () => readQueues(deployed),
    routes: () => readRoutes(deployed),
    rules: () => readRules(deployed),
    stateMachines: () => readStateMachines(deployed),
    tables: () => readTables(deployed),
    throttle: () => readThrottle(deployed),
    /** What a role, given by name or ARN, allows to a service that has assumed it. */
    policyOf: (role: string, service: string) => readRoles(deployed, location.accountId)(roleNameOf(role), service),
  };
}

export type ReadTemplate = ReturnType<typeof readTemplate>;

/** The template of a cloud assembly, as a stack with this address of its API sees it. */
export async function readAssembly(templateFolder: string, apiUrl: string): Promise<ReadTemplate> {
  const { stackName, template } = await readCloudAssembly(templateFolder);
  return readTemplate(inCreationOrder(template), { stackName, region, accountId, apiUrl });
}
