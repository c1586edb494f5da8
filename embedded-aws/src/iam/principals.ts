import { createHmac } from 'node:crypto';
import { createBoundedCache } from './bounded-cache.ts';
import type { Policy } from './policy.ts';
import { issueSession, readSession, type SessionCredentials } from './session-credentials.ts';

/** Temporary credentials also have a session token and an expiry in epoch milliseconds. */
export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string; expiresAtMs?: number };

/** Who asks, and what its policies allow. */
export type Identity = { arn: string; policy: Policy };

/** The identity that signs requests, with the credentials of this request. */
export type Principal = Identity & { credentials: Credentials };

/** A role as a function, a state machine or another program has assumed it. Each has its own sessions. */
export type Role = Identity & {
  /** New temporary credentials. Earlier ones stay valid until they expire. */
  issue(): SessionCredentials;
};

/** Session tokens that were verified recently: more than there are instances of functions. */
const recentSessions = 512;

/**
 * Derives the lasting credentials of a purpose from the master secret. The access key id, which every presigned URL
 * contains, reveals nothing about the secret or other principals.
 */
export function deriveCredentials(masterSecret: Buffer, purpose: string): Credentials {
  const derive = (part: string) => createHmac('sha256', masterSecret).update(`${part}\0${purpose}`).digest();
  return {
    accessKeyId: `LOCAL${derive('access key id').toString('hex').slice(0, 20).toUpperCase()}`,
    secretAccessKey: derive('secret access key').toString('base64url'),
  };
}

type PrincipalOptions = { sessionSeconds: number; now: () => number };

/** Principals whose credentials are derived from the master secret, so that they are the same after a restart. */
export function createPrincipals(masterSecret: Buffer, { sessionSeconds, now }: PrincipalOptions) {
  const known = new Map<string, Principal>();
  const roles = new Map<string, Identity>();
  const sessions = createBoundedCache<Principal>(recentSessions);

  function findSession(accessKeyId: string, token: string): Principal | undefined {
    const recent = sessions.get(token);
    if (recent) return recent.credentials.accessKeyId === accessKeyId ? recent : undefined;
    const session = readSession(masterSecret, token);
    const identity = session && roles.get(session.purpose);
    if (!identity || session.credentials.accessKeyId !== accessKeyId) return undefined;
    const principal = { ...identity, credentials: session.credentials };
    sessions.set(token, principal);
    return principal;
  }

  return {
    /** @param purpose identifies the principal: its credentials are the same at every start */
    add(purpose: string, { arn, policy }: Identity): Principal {
      const principal = { arn, policy, credentials: deriveCredentials(masterSecret, purpose) };
      known.set(principal.credentials.accessKeyId, principal);
      return principal;
    },
    /** @param purpose identifies the role and who has assumed it */
    addRole(purpose: string, { arn, policy }: Identity): Role {
      roles.set(purpose, { arn, policy });
      return { arn, policy, issue: () => issueSession(masterSecret, purpose, now() + sessionSeconds * 1000) };
    },
    /** Lasting credentials have no token, temporary ones need theirs. The expiry is not checked. */
    find: (accessKeyId: string, sessionToken?: string): Principal | undefined =>
      sessionToken === undefined ? known.get(accessKeyId) : findSession(accessKeyId, sessionToken),
  };
}

export type Principals = ReturnType<typeof createPrincipals>;
