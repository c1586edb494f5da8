import { z } from 'zod';
import type { DeployedTemplate } from '../template/deployed-template.ts';
import { compilePolicy, type Policy } from './policy.ts';

const document = z.object({ Statement: z.array(z.unknown()) });
const attached = z.object({ PolicyDocument: document, Roles: z.array(z.string()).default([]) });
const inline = z.object({ Policies: z.array(z.object({ PolicyDocument: document })).default([]) });

/**
 * What the roles of a template allow, by the role's name: their inline policies and the policies of the template that are attached to them. Policies
 * that AWS keeps ready (ManagedPolicyArns) are not known here and allow nothing.
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
