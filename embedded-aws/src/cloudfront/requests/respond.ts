import type { CacheSource, Entry } from '../cache/edge-cache.ts';
import type { EventRequest } from '../functions/function-event.ts';
import { cacheKey, forwardedRequest } from '../origins/forwarded-request.ts';
import type { OriginRequest, OriginResponse } from '../origins/origin.ts';
import { errorPage } from '../responses/error-page.ts';
import type { ResponseHeaders } from '../responses/headers-policy.ts';
import { firstByte } from '../responses/partial-response.ts';
import type { Checked } from './run-viewer-request.ts';
import type { DistributionContext, Viewing } from './viewing.ts';

export type Outcome = 'Hit' | 'Miss' | 'RefreshHit' | 'Error' | 'FunctionGeneratedResponse' | 'FunctionExecutionError';

/** A response before conditions, ranges, compression, and the function and the policy for headers. */
export type Reply = {
  status: number;
  headers: ResponseHeaders;
  sizeBytes: number;
  outcome: Outcome;
  /** As the function of the request left it. */
  request: EventRequest;
} & (
  | { kind: 'kept'; key: string; entry: Entry; source: CacheSource }
  /** `isFromOrigin` is false for responses of the function and of CloudFront itself. */
  | { kind: 'whole'; chunks: Buffer[]; isFromOrigin: boolean }
);

export async function respond(viewing: Viewing, checked: Checked, context: DistributionContext): Promise<Reply> {
  const { request } = checked;
  if (checked.problem !== undefined) {
    const { status, headers, body } = errorPage(checked.problem, viewing.requestId);
    const outcome = checked.problem.startsWith('function') ? 'FunctionExecutionError' : 'Error';
    return own(request, status, headers, body, outcome);
  }
  if (checked.generated) {
    const { statusCode, headers, body } = checked.generated;
    return own(request, statusCode, headers, body, 'FunctionGeneratedResponse');
  }
  try {
    return await askOrigin(viewing, request, context);
  } catch (error) {
    context.log(`origin: ${String(error)}`);
    return respond(viewing, { request, problem: 'origin' }, context);
  }
}

async function askOrigin(viewing: Viewing, request: EventRequest, context: DistributionContext): Promise<Reply> {
  const { behaviour } = viewing;
  const { origin } = behaviour;
  const { method } = request;
  let prepared: OriginRequest | undefined;
  const originRequest = (): OriginRequest => {
    prepared ??= originRequestOf(viewing, request, context);
    return prepared;
  };
  const headersOnly = method === 'HEAD';
  // Errors are kept even if the cache policy keeps no response.
  const isCached = behaviour.cachedMethods.includes(method) && (method === 'GET' || (headersOnly && origin.hasRanges));
  if (!isCached) return fromOrigin(request, await origin.fetch(originRequest()));
  const key = cacheKey(behaviour.originId, request, behaviour);
  const source = behaviour.cacheSource((part) => origin.fetch(originRequest(), part));
  const pending = context.cache.find(key, source, { start: firstByte(request.headers.range?.value), headersOnly });
  const found = pending instanceof Promise ? await pending : pending;
  if (!found.entry) return fromOrigin(request, found.response);
  const { entry } = found;
  const { status, headers, sizeBytes } = entry;
  const outcome = status >= 400 ? 'Error' : found.outcome;
  return { kind: 'kept', status, headers: { ...headers }, sizeBytes, outcome, request, key, entry, source };
}

function originRequestOf(viewing: Viewing, request: EventRequest, { definition }: DistributionContext): OriginRequest {
  const { behaviour, address, port, requestId } = viewing;
  const { originDefinition: origin } = behaviour;
  const viewer = { address, port };
  const distribution = definition;
  const { hostName: host } = behaviour.origin;
  const forwarding = { request, behaviour, origin, host, viewer, distribution, requestId };
  const { rawHeaders, query } = forwardedRequest(forwarding);
  const { httpVersion } = viewing.request;
  return { method: request.method, path: request.uri, query, rawHeaders, httpVersion, body: viewing.request };
}

const own = (
  request: EventRequest,
  status: number,
  headers: ResponseHeaders,
  body: Buffer,
  outcome: Outcome,
): Reply => ({
  kind: 'whole',
  status,
  headers,
  chunks: [body],
  sizeBytes: body.length,
  outcome,
  request,
  isFromOrigin: false,
});

const fromOrigin = (request: EventRequest, { status, headers, chunks, sizeBytes }: OriginResponse): Reply => ({
  kind: 'whole',
  status,
  headers: { ...headers },
  chunks,
  sizeBytes,
  outcome: status >= 400 ? 'Error' : 'Miss',
  request,
  isFromOrigin: true,
});
