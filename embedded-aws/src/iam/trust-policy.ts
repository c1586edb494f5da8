import { z } from 'zod';
import { compileServicePolicy, type Policy } from './policy.ts';

// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-service.html

const trust = z.object({ Statement: z.array(z.looseObject({})) });

/**
 * Whether the trust policy of a role allows a service of AWS to assume it.
 * @throws for unknown elements, operators and keys
 */
export function isTrusted(document: unknown, service: string, accountId: string): boolean {
  // A trust policy has no Resource: it is about its role.
  const statements = trust.parse(document).Statement.map((one) => ({ ...one, Resource: '*' }));
  const allows: Policy = compileServicePolicy(statements, service);
  return allows({ action: 'sts:AssumeRole', resource: '*', context: { 'aws:sourceaccount': accountId } });
}
