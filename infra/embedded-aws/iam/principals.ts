import { createHmac } from 'node:crypto';
import type { Policy } from './policy.ts';

export type Credentials = { accessKeyId: string; secretAccessKey: string };

/** The identity that signs requests: a function, a state machine, a proxy or the operator. */
export type Principal = {
  arn: string;
  credentials: Credentials;
  policy: Policy;
};

/**
 * Derives the credentials of a purpose from the master secret, so that presigned URLs stay valid over restarts. The
 * access key id, which every presigned URL contains, reveals nothing about the secret or other principals.
 */
export function deriveCredentials(masterSecret: Buffer, purpose: string): Credentials {
  const derive = (part: string) => createHmac('sha256', masterSecret).update(`${part}\0${purpose}`).digest();
  return {
    accessKeyId: `LOCAL${derive('access key id').toString('hex').slice(0, 20).toUpperCase()}`,
    secretAccessKey: derive('secret access key').toString('base64url'),
  };
}

/** Principals with derived credentials, by access key id. */
export function createPrincipals(masterSecret: Buffer) {
  const known = new Map<string, Principal>();
  return {
    /** @param purpose identifies the principal: its credentials are the same at every start */
    add(purpose: string, { arn, policy }: Omit<Principal, 'credentials'>): Principal {
      const principal = { arn, policy, credentials: deriveCredentials(masterSecret, purpose) };
      known.set(principal.credentials.accessKeyId, principal);
      return principal;
    },
    find: (accessKeyId: string): Principal | undefined => known.get(accessKeyId),
  };
}

export type Principals = ReturnType<typeof createPrincipals>;
