import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../http/request-body.ts';
import { encodePath } from '../http/uri-encoding.ts';
import { type QueryPairs, queryPairs } from '../iam/query-pairs.ts';
import { SignatureError } from '../iam/signature-error.ts';
import { sha256Hex } from '../iam/signature-v4.ts';
import { readHeaderSignature, requireMatch, type Verifier } from '../iam/verify-signature.ts';
import type { ControlService } from './control-service.ts';
import { errorResponseOf, writeErrorResponse } from './error-response.ts';

const maxSkewMs = 5 * 60 * 1000;
const formType = 'application/x-www-form-urlencoded';
const invokePath = '/2015-03-31/functions/';

export type ControlOptions = Pick<Verifier, 'region' | 'find'> & {
  /** By the part of X-Amz-Target before the dot. */
  targets?: ReadonlyMap<string, ControlService>;
  /** Of the services whose requests are forms, by what they are signed for. */
  forms?: ReadonlyMap<string, ControlService>;
  lambda?: ControlService;
  now?: () => Date;
};

/**
 * One address for every service but the object store. It takes only requests that are signed in their headers, by a principal, for the service, within
 * five minutes, with the headers and the body that came.
 */
export function createControlServer(options: ControlOptions) {
  const { region, find, now = () => new Date() } = options;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // By the clock that signatures are checked against: a client whose clock is wrong corrects it by this header.
    response.setHeader('date', now().toUTCString());
    const service = serviceOf(request, options);
    if (!service) {
      const message = 'No service of this address has such an operation.';
      const code = 'com.amazon.coral.service#UnknownOperationException';
      return writeErrorResponse(response, 'json-1.0', { status: 400, code, message });
    }
    const { protocol, signingName, maxBodyBytes } = service;
    try {
      const parts = signedParts(request);
      const claim = readHeaderSignature(parts, { region, service: signingName, find, now, maxSkewMs });
      const body = await readBody(request, maxBodyBytes);
      requireMatch(parts, claim, sha256Hex(body));
      await service.handle(request, response, body, claim.principal);
    } catch (error) {
      const refusal = errorResponseOf(error, protocol);
      if (!refusal) throw error;
      writeErrorResponse(response, protocol, refusal);
    }
  };
}

function serviceOf(request: IncomingMessage, { targets, forms, lambda }: ControlOptions): ControlService | undefined {
  const { headers, method, url = '' } = request;
  if (url.startsWith(invokePath)) return lambda;
  if (method !== 'POST') return undefined;
  const target = headers['x-amz-target'];
  if (target !== undefined) return targets?.get(String(target).split('.')[0]!);
  if (!headers['content-type']?.startsWith(formType)) return undefined;
  const [, signedFor = ''] = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  return forms?.get(signedFor);
}

function signedParts({ method = '', url = '', rawHeaders, headers }: IncomingMessage) {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  return {
    method,
    canonicalPath: encodePath(path),
    query: mark < 0 ? [] : decodedPairs(url.slice(mark + 1)),
    rawHeaders,
    headers,
  };
}

/** @throws SignatureRefused: there is no right signature of what cannot be decoded */
function decodedPairs(search: string): QueryPairs {
  try {
    return queryPairs(search);
  } catch {
    throw new SignatureError({ kind: 'missing' });
  }
}
