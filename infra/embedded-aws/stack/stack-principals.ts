import { allowEverything } from '../iam/policy.ts';
import { createPrincipals, type Principal } from '../iam/principals.ts';
import type { DeployedTemplate } from '../template/deployed-template.ts';
import { readRoles, roleNameOf } from '../template/read-roles.ts';

export type StackPrincipals = ReturnType<typeof createStackPrincipals>;

/** The principals that sign requests in a stack. Each has its own credentials and the permissions of one role. */
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
    ofFunction: ({ name, roleArn }: { name: string; roleArn: string }): Principal =>
      inRole(`function ${name}`, roleNameOf(roleArn), name),
    ofStateMachine: ({ name, roleArn }: { name: string; roleArn: string }): Principal =>
      inRole(`state machine ${name}`, roleNameOf(roleArn), name),
    /**
     * A program outside the stack, or servers, with a role of the stack. One session name has one set of credentials.
     */
    ofSession: (session: string, roleName: string): Principal => inRole(session, roleName, session),
    operator: add('operator', { arn: `arn:aws:iam::${accountId}:user/operator`, policy: allowEverything }),
  };
}
