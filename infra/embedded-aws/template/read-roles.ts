import { z } from 'zod';
import { compilePolicy, type Policy } from '../iam/policy.ts';
import type { DeployedTemplate } from './deployed-template.ts';

const document = z.object({ Statement: z.array(z.unknown()) });
const attached = z.object({ PolicyDocument: document, Roles: z.array(z.string()).default([]) });
const inline = z.object({ Policies: z.array(z.object({ PolicyDocument: document })).default([]) });

/**
 * Compiles the policies of the roles in a template: inline policies, and policies of the template that are attached to
 * them. AWS managed policies (ManagedPolicyArns) are unknown and allow nothing.
 */
export function readRoles(template: DeployedTemplate): (roleName: string) => Policy {
  const policies = template
    .resources('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')
    .map(({ properties }) => attached.parse(properties));
  const roles = template.resources('AWS::IAM::Role').map(({ ref, properties }) => {
    const documents = [
      ...inline.parse(properties).Policies,
      ...policies.filter(({ Roles }) => Roles.includes(ref)),
    ].map(({ PolicyDocument }) => PolicyDocument);
    return [ref, documents.flatMap(({ Statement }) => Statement)] as const;
  });
  const statements = new Map(roles);
  return (roleName) => {
    const found = statements.get(roleName);
    if (!found) throw new Error(`The template has no role ${roleName}.`);
    return compilePolicy(found);
  };
}

/** `arn:aws:iam::000000000000:role/some/path/Name` → `Name` */
export const roleNameOf = (arn: string): string => arn.split('/').at(-1)!;
