import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../iam/principals.ts';

/** Answers a request whose signature is valid. `caller` signed it. */
export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  caller: Principal,
) => Promise<void>;

/** The protocol of a service, which defines the form of its errors. */
export type Protocol = 'json-1.0' | 'json-1.1' | 'rest-json' | 'query';

/** A service whose requests have small bodies: all except the object store. */
export type ControlService = {
  /** The service name in the credential scope. */
  signingName: string;
  protocol: Protocol;
  maxBodyBytes: number;
  /** Requests are signed with SigV4A, because the service is the same in all regions. */
  isGlobal?: true;
  /** The service also answers requests for this region. */
  otherRegion?: string;
  handle: Handle;
};
