import { z } from 'zod';
import { managedPolicy } from '../iam/managed-policies.ts';
import { compilePolicy, type Policy } from '../iam/policy.ts';
import { isTrusted } from '../iam/trust-policy.ts';
import type { DeployedTemplate } from './deployed-template.ts';

const document = z.object({ Statement: z.array(z.unknown()) });
const attached = z.object({ PolicyDocument: document, Roles: z.array(z.string()).default([]) });
const role = z.object({
  Policies: z.array(z.object({ PolicyDocument: document })).default([]),
  ManagedPolicyArns: z.array(z.string()).default([]),
  AssumeRolePolicyDocument: z.unknown(),
});

/**
 * Compiles the policies of the roles in a template: inline policies, attached policies of the template, and managed
 * policies of AWS. A role may be used only by a service that its trust policy names.
 */
export function readRoles(template: DeployedTemplate, accountId: string) {
  const policies = template
    .resources('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')
    .map(({ properties }) => attached.parse(properties));
  const roles = template.resources('AWS::IAM::Role').map(({ ref, properties }) => {
    const { Policies, ManagedPolicyArns, AssumeRolePolicyDocument } = role.parse(properties);
    const documents = [...Policies, ...policies.filter(({ Roles }) => Roles.includes(ref))];
    const own = documents.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const statements: unknown[] = [...own, ...ManagedPolicyArns.flatMap(managedPolicy)];
    return [ref, { statements, trust: AssumeRolePolicyDocument }] as const;
  });
  const byName = new Map(roles);
  /** The permissions of a role that a service of AWS assumes. @throws when the role does not trust the service */
  return (roleName: string, service: string): Policy => {
    const found = byName.get(roleName);
    if (!found) throw new Error(`The template has no role ${roleName}.`);
    if (!isTrusted(found.trust, service, accountId)) {
      throw new Error(`The trust policy of the role ${roleName} does not allow ${service} to assume it.`);
    }
    return compilePolicy(found.statements);
  };
}

/** `arn:aws:iam::000000000000:role/some/path/Name` → `Name` */
export const roleNameOf = (arn: string): string => arn.split('/').at(-1)!;
