import type { Context } from './policy-conditions.ts';
import type { Identity } from './principals.ts';

/** The policies of a principal do not allow the action. The message is that of AWS. */
export class AccessDenied extends Error {
  constructor({ arn }: Identity, action: string, resource: string) {
    super(
      `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`,
    );
    this.name = 'AccessDeniedException';
  }
}

/** @throws AccessDenied */
export function authorize(principal: Identity, action: string, resource: string, context: Context = {}): void {
  if (!principal.policy({ action, resource, context })) throw new AccessDenied(principal, action, resource);
}
