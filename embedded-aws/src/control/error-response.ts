import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { BodyTooLarge } from '../http/request-body.ts';
import { writeElements } from '../http/xml.ts';
import { AccessDenied } from '../iam/authorize.ts';
import { SignatureError, type SignatureProblem } from '../iam/signature-error.ts';
import type { Protocol } from './control-service.ts';

type Refusal = { status: number; code: string; message: string };

/** The code of an error in the JSON protocols and in the query protocol. */
const codes = {
  missing: ['MissingAuthenticationTokenException', 'MissingAuthenticationToken'],
  incomplete: ['IncompleteSignatureException', 'IncompleteSignature'],
  invalid: ['InvalidSignatureException', 'SignatureDoesNotMatch'],
  unknownKey: ['UnrecognizedClientException', 'InvalidClientTokenId'],
  expired: ['ExpiredTokenException', 'ExpiredToken'],
  denied: ['AccessDeniedException', 'AccessDenied'],
} as const;

/**
 * The response to an invalid signature, a missing permission or a body that is too large. Undefined for other errors.
 */
export function errorResponseOf(error: unknown, protocol: Protocol): Refusal | undefined {
  if (error instanceof BodyTooLarge) {
    return { status: 413, code: 'RequestEntityTooLargeException', message: error.message };
  }
  // The JSON protocols use status 400 for all errors of the client.
  const status = protocol.startsWith('json') ? 400 : 403;
  const codeOf = (name: keyof typeof codes) =>
    protocol === 'query' ? codes[name][1] : `com.amazon.coral.service#${codes[name][0]}`;
  if (error instanceof AccessDenied) return { status, code: codeOf('denied'), message: error.message };
  if (!(error instanceof SignatureError)) return undefined;
  const [name, message] = describe(error.problem);
  return { status, code: codeOf(name), message };
}

function describe(problem: SignatureProblem): [keyof typeof codes, message: string] {
  switch (problem.kind) {
    case 'missing':
      return ['missing', 'Request is missing Authentication Token'];
    case 'algorithm':
      // Other schemes, such as `Bearer`, belong to other services.
      return problem.algorithm.startsWith('AWS4-')
        ? ['incomplete', `Unsupported AWS 'algorithm': '${problem.algorithm}'.`]
        : ['missing', 'Request is missing Authentication Token'];
    case 'incomplete':
      return ['incomplete', problem.missing.map((name) => `Authorization requires '${name}'.`).join(' ')];
    case 'date':
      return ['incomplete', `Date must be in ISO-8601 'basic format'. Got '${problem.given}'.`];
    case 'scope form':
      return ['incomplete', 'Credential must have five parts: key id, date, region, service and aws4_request.'];
    case 'scope region':
      return ['invalid', 'Credential should be scoped to a valid region.'];
    case 'scope service':
      return ['invalid', `Credential should be scoped to correct service: '${problem.expected}'.`];
    case 'scope terminator':
      return ['invalid', "Credential should be scoped with a valid terminator: 'aws4_request'."];
    case 'scope date':
      return ['invalid', `Date in Credential scope does not match the date of the request: '${problem.amzDate}'.`];
    case 'unknown key':
    case 'invalid token':
      return ['unknownKey', 'The security token included in the request is invalid.'];
    case 'expired token':
      return ['expired', 'The security token included in the request is expired'];
    case 'skewed':
    case 'not yet valid':
      return [
        'invalid',
        `The time of the signature, ${problem.amzDate}, differs by more than ${problem.maxSkewMs / 60_000} minutes from the server's, ${problem.now.toISOString()}.`,
      ];
    case 'unsigned headers':
      return ['invalid', problem.names.map((name) => `'${name}' must be a 'SignedHeader'.`).join(' ')];
    case 'expiry form':
    case 'expiry too long':
    case 'expired':
    case 'mismatch':
      return [
        'invalid',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
      ];
  }
}

/** Sends an error in the form of the protocol. */
export function writeErrorResponse(
  response: ServerResponse,
  protocol: Protocol,
  { status, code, message }: Refusal,
): void {
  const requestId = randomUUID();
  if (protocol === 'query') {
    const error = { Error: { Type: 'Sender', Code: code, Message: message }, RequestId: requestId };
    response.writeHead(status, { 'content-type': 'text/xml' }).end(writeElements({ ErrorResponse: error }));
    return;
  }
  const isRest = protocol === 'rest-json';
  response.writeHead(status, {
    'content-type': isRest ? 'application/json' : `application/x-amz-${protocol}`,
    ...(isRest && { 'x-amzn-errortype': code.slice(code.indexOf('#') + 1) }),
    'x-amzn-requestid': requestId,
  });
  response.end(JSON.stringify(isRest ? { Type: 'User', Message: message } : { __type: code, message }));
}
