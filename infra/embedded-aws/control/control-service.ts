import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../iam/principals.ts';

/** Answers a request whose signature is right and whose body has been read. `caller` is who signed it. */
export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  caller: Principal,
) => Promise<void>;

/** How a service writes its errors. */
export type Protocol = 'json-1.0' | 'json-1.1' | 'rest-json' | 'query';

/** A service that is reached by requests with small bodies: all but the object store. */
export type ControlService = {
  /** What requests to it are signed for. */
  signingName: string;
  protocol: Protocol;
  maxBodyBytes: number;
  handle: Handle;
};
