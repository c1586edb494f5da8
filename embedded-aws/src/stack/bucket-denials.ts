import type { Policy } from '../iam/policy.ts';
import type { Principal } from '../iam/principals.ts';

type Find = (accessKeyId: string, sessionToken?: string) => Principal | undefined;

/**
 * Principals that are refused what a bucket policy denies, whatever their own policies allow. The local endpoint stands
 * for the HTTPS endpoint of S3, so `aws:SecureTransport` is true: the bucket policy denies requests without it.
 */
export function restrictByBucketPolicies(find: Find, isDenied: Policy): Find {
  const restricted = new WeakMap<Principal, Principal>();
  return (accessKeyId, sessionToken) => {
    const principal = find(accessKeyId, sessionToken);
    if (!principal) return undefined;
    const known = restricted.get(principal);
    if (known) return known;
    const policy: Policy = (request) => {
      const context = { ...request.context, 'aws:securetransport': 'true' };
      return !isDenied({ ...request, context }) && principal.policy({ ...request, context });
    };
    const made = { ...principal, policy };
    restricted.set(principal, made);
    return made;
  };
}
