import { type EventRequest, requestEvent } from '../functions/function-event.ts';
import { type GeneratedResponse, InvalidFunctionResult, readRequestResult } from '../functions/function-result.ts';
import type { EdgeProblem } from '../responses/error-page.ts';
import type { DistributionContext, Viewing } from './viewing.ts';

/** A request after the function of its behaviour, the response that the function made, or why there is neither. */
export type Checked =
  | { request: EventRequest; generated?: undefined; problem?: undefined }
  | { request: EventRequest; generated: GeneratedResponse; problem?: undefined }
  | { request: EventRequest; generated?: undefined; problem: EdgeProblem };

const methods = /^(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)$/;

export async function runViewerRequest(viewing: Viewing, context: DistributionContext): Promise<Checked> {
  const { request: received, behaviour, requestId, path, query, address } = viewing;
  const { definition, log } = context;
  const { method = '', rawHeaders } = received;
  const event = requestEvent(
    { method, path, query, rawHeaders, address },
    {
      distributionDomainName: definition.domainName,
      distributionId: definition.id,
      eventType: 'viewer-request',
      requestId,
    },
  );
  const { request } = event;
  if (!path.startsWith('/')) return { request, problem: 'badRequest' };
  if (!definition.enabled) return { request, problem: 'disabled' };
  if (!methods.test(method) || !behaviour.allowedMethods.includes(method)) return { request, problem: 'method' };
  if (!behaviour.onRequest) return { request };
  const before = { method, uri: path, headers: request.headers };
  const readOnly: Record<string, string | undefined> = {};
  for (const name of ['host', 'content-length', 'transfer-encoding', 'via', ...notAllowedButSent(request)]) {
    readOnly[name] = request.headers[name]?.value;
  }
  try {
    const result = await behaviour.onRequest(event);
    const read = readRequestResult(result, { ...request, ...before }, readOnly);
    return 'response' in read ? { request, generated: read.response } : { request: read.request };
  } catch (error) {
    log(`viewer-request: ${String(error)}`);
    return { request, problem: error instanceof InvalidFunctionResult ? 'functionResult' : 'functionFailure' };
  }
}

/** Headers that functions may not add, but leave as the viewer sent them. */
const notAllowedButSent = (request: EventRequest): string[] =>
  Object.keys(request.headers).filter((name) => /^(connection|expect|keep-alive|trailer|upgrade|proxy-|x-)/.test(name));
