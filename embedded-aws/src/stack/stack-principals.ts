import { allowEverything, type Policy } from '../iam/policy.ts';
import { createPrincipals, type Principal, type Role } from '../iam/principals.ts';
import type { DeployedTemplate } from '../template/deployed-template.ts';
import { readRoles, roleNameOf } from '../template/read-roles.ts';

/**
 * How long the credentials of a role are valid. AWS says of Lambda only that they are temporary; the default of STS is
 * an hour, the limit twelve.
 */
const sessionSeconds = 6 * 3600;

/** The agent on managed nodes gets its credentials from Systems Manager. */
const managedNodes = 'ssm.amazonaws.com';

export type StackPrincipals = ReturnType<typeof createStackPrincipals>;

/** The principals that sign requests in a stack. Each has its own credentials and the permissions of one role. */
export function createStackPrincipals(template: DeployedTemplate, masterSecret: Buffer, accountId: string) {
  const policyOf = readRoles(template, accountId);
  const { add, addRole, find } = createPrincipals(masterSecret, { sessionSeconds, now: Date.now });
  const identityOf = (roleName: string, service: string, session: string) => ({
    arn: `arn:aws:sts::${accountId}:assumed-role/${roleName}/${session}`,
    policy: policyOf(roleName, service),
  });
  const inRole = (purpose: string, roleName: string, service: string, session: string): Role =>
    addRole(purpose, identityOf(roleName, service, session));
  return {
    find,
    ofFunction: ({ name, roleArn }: { name: string; roleArn: string }): Role =>
      inRole(`function ${name}`, roleNameOf(roleArn), 'lambda.amazonaws.com', name),
    ofStateMachine: ({ name, roleArn }: { name: string; roleArn: string }): Role =>
      inRole(`state machine ${name}`, roleNameOf(roleArn), 'states.amazonaws.com', name),
    /** A service of AWS, such as `events.amazonaws.com`, with a role of the stack. */
    ofService: (service: string, session: string, roleName: string): Role =>
      inRole(session, roleName, service, session),
    /** Registered servers with a role of the stack. */
    ofManagedNodes: (roleName: string): Principal => add('nodes', identityOf(roleName, managedNodes, 'nodes')),
    /** A service of AWS that has no role: the policy of a bucket says what it may write. */
    ofServiceItself: (service: string, policy: Policy): Role => addRole(`service ${service}`, { arn: service, policy }),
    operator: add('operator', { arn: `arn:aws:iam::${accountId}:user/operator`, policy: allowEverything }),
  };
}
