import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../http/request-body.ts';
import { encodePath } from '../http/uri-encoding.ts';
import { type QueryPairs, queryPairs } from '../iam/query-pairs.ts';
import { SignatureError } from '../iam/signature-error.ts';
import { sha256Hex } from '../iam/signature-v4.ts';
import { readHeaderSignature, requireMatch, type Verifier } from '../iam/verify-signature.ts';
import { readAsymmetricSignature, requireAsymmetricMatch } from '../iam/verify-signature-v4a.ts';
import type { ControlService } from './control-service.ts';
import { errorResponseOf, writeErrorResponse } from './error-response.ts';

const maxSkewMs = 5 * 60 * 1000;
const formType = 'application/x-www-form-urlencoded';
const lambdaPaths = /^\/2015-03-31\/(functions|event-source-mappings)(\/|\?|$)|^\/2016-08-19\/account-settings/;
const keyValueStoresPath = '/key-value-stores/';
const apisPath = /^\/v2\/apis(\/|\?|$)/;

export type ControlOptions = Pick<Verifier, 'region' | 'find'> & {
  /** By the part of X-Amz-Target before the dot. */
  targets?: ReadonlyMap<string, ControlService>;
  /** Services with the query protocol, by the service name in the credential scope. */
  forms?: ReadonlyMap<string, ControlService>;
  lambda?: ControlService;
  keyValueStores?: ControlService;
  apis?: ControlService | undefined;
  now?: () => Date;
};

/**
 * One endpoint for all services except the object store. Requests must be signed in their headers for the service, with
 * a time that differs by at most five minutes.
 */
export function createControlServer(options: ControlOptions) {
  const { region, find, now = () => new Date() } = options;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The clock that signatures are checked against. A client with a wrong clock corrects it with this header.
    response.setHeader('date', now().toUTCString());
    const service = serviceOf(request, options);
    if (!service) {
      const message = 'No service at this endpoint has this operation.';
      const code = 'com.amazon.coral.service#UnknownOperationException';
      return writeErrorResponse(response, 'json-1.0', { status: 400, code, message });
    }
    const { protocol, signingName, maxBodyBytes, isGlobal, otherRegion } = service;
    try {
      const parts = signedParts(request);
      const isElsewhere = otherRegion !== undefined && credentialScope(request).region === otherRegion;
      const signedRegion = isElsewhere ? otherRegion : region;
      const verifier = { region: signedRegion, service: signingName, find, now, maxSkewMs };
      const claim = isGlobal ? readAsymmetricSignature(parts, verifier) : readHeaderSignature(parts, verifier);
      const body = await readBody(request, maxBodyBytes);
      if ('publicKey' in claim) requireAsymmetricMatch(parts, claim, sha256Hex(body));
      else requireMatch(parts, claim, sha256Hex(body));
      await service.handle(request, response, body, claim.principal);
    } catch (error) {
      const refusal = errorResponseOf(error, protocol);
      if (!refusal) throw error;
      writeErrorResponse(response, protocol, refusal);
    }
  };
}

function serviceOf(request: IncomingMessage, options: ControlOptions): ControlService | undefined {
  const { targets, forms, lambda, keyValueStores, apis } = options;
  const { headers, method, url = '' } = request;
  if (lambdaPaths.test(url)) return lambda;
  if (url.startsWith(keyValueStoresPath)) return keyValueStores;
  if (apisPath.test(url)) return apis;
  if (method !== 'POST') return undefined;
  const target = headers['x-amz-target'];
  if (target !== undefined) return targets?.get(String(target).split('.')[0]!);
  if (!headers['content-type']?.startsWith(formType)) return undefined;
  return forms?.get(credentialScope(request).service);
}

/** What a request says it is signed for. */
function credentialScope({ headers }: IncomingMessage): { region: string; service: string } {
  const scope = /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(headers.authorization ?? '');
  return { region: scope?.[1] ?? '', service: scope?.[2] ?? '' };
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

/** @throws SignatureError, because a query string that cannot be decoded cannot be signed */
function decodedPairs(search: string): QueryPairs {
  try {
    return queryPairs(search);
  } catch {
    throw new SignatureError({ kind: 'missing' });
  }
}
