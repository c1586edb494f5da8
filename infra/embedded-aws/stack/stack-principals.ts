import { allowEverything } from '../iam/policy.ts';
import { createPrincipals, type Principal } from '../iam/principals.ts';
import { readRoles, roleNameOf } from '../iam/role-policies.ts';
import type { DeployedTemplate } from '../template/deployed-template.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';

export type StackPrincipals = ReturnType<typeof createStackPrincipals>;

/** Who signs requests in a stack: each with credentials for one purpose, and with the rights of a role of the template. */
export function createStackPrincipals(template: DeployedTemplate, masterSecret: Buffer, accountId: string) {
  const policyOf = readRoles(template);
  const { add, find } = createPrincipals(masterSecret);
  const inRole = (purpose: string, roleName: string, session: string): Principal =>
    add(purpose, {
      arn: `arn:aws:sts::${accountId}:assumed-role/${roleName}/${session}`,
      policy: policyOf(roleName),
    });
  return {
    find,
    ofFunction: ({ name, roleArn }: FunctionDefinition): Principal =>
      inRole(`function ${name}`, roleNameOf(roleArn), name),
    ofStateMachine: ({ name, roleArn }: { name: string; roleArn: string }): Principal =>
      inRole(`state machine ${name}`, roleNameOf(roleArn), name),
    /** The proxy of this process; servers that are registered as proxies have the same role and credentials of their own. */
    ofProxy: (roleName: string): Principal => inRole('proxy', roleName, 'proxy'),
    ofNodes: (roleName: string): Principal => inRole('nodes', roleName, 'nodes'),
    operator: add('operator', { arn: `arn:aws:iam::${accountId}:user/operator`, policy: allowEverything }),
  };
}
