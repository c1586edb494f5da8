import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Meter } from '../account/meter.ts';
import { type ClientAddress, createClientAddress } from '../http/client-address.ts';
import type { ErrorBody } from '../http/http-server.ts';
import { BodyTooLarge, readBody } from '../http/request-body.ts';
import type { Invocation } from '../lambda/lambda-instance.ts';
import type { RouteDefinition } from '../template/read-routes.ts';
import type { StageThrottle } from '../template/read-throttle.ts';
import { requestEvent, splitTarget } from './http-api-event.ts';
import {
  failed,
  type GatewayResponse,
  type HttpResponse,
  headersTooLarge,
  notFound,
  refusalOf,
  responseOf,
  targetTooLong,
  throttled,
  tooLarge,
  unavailable,
} from './http-api-response.ts';
import { createRouter } from './http-api-router.ts';
import { createThrottle } from './throttle.ts';

/** Limits of an HTTP API. */
const maxBodyBytes = 10 * 1024 * 1024;
const maxWaitSeconds = 30;

export type HttpApiOptions = {
  routes: RouteDefinition[];
  accountId: string;
  invoke: (functionName: string, event: unknown) => Promise<Invocation>;
  clientAddress?: ClientAddress;
  waitSeconds?: number;
  /** The throttling settings of the stage. */
  throttle: StageThrottle;
  meter?: Meter | undefined;
  /** Replaces the bodies that AWS answers itself, which have a message alone. */
  errorBody?: ErrorBody | undefined;
};

/** Opens the embedded HTTP API: each request invokes a function with payload format 2.0. */
export function createHttpApi(options: HttpApiOptions) {
  const { routes, accountId, invoke, clientAddress = createClientAddress([]) } = options;
  const { waitSeconds = maxWaitSeconds, meter, errorBody } = options;
  const route = createRouter(routes);
  const takeToken = createThrottle(options.throttle);

  async function respond(request: IncomingMessage, requestId: string): Promise<HttpResponse | GatewayResponse> {
    const problem = headProblem(request);
    if (problem) return problem;
    const matched = route(request.method!, splitTarget(request.url!)[0]);
    meter?.('API requests', 1, matched?.route.routeKey ?? 'no route');
    if (!takeToken(matched?.route.routeKey)) return throttled;
    if (!matched) return notFound;
    const { functionName, permitted } = matched.route;
    // As on AWS, where only the access log of the API has the reason.
    if (!permitted) return failed;
    let timer: NodeJS.Timeout | undefined;
    try {
      const body = await readBody(request, maxBodyBytes);
      const properties = { requestId, accountId, timeMs: Date.now(), sourceIp: clientAddress(request) };
      const event = requestEvent(request, body, matched, properties);
      const late = new Promise<HttpResponse>((resolve) => {
        timer = setTimeout(resolve, waitSeconds * 1000, unavailable);
      });
      return await Promise.race([invoke(functionName, event).then(responseOf, refusalOf), late]);
    } catch (error) {
      if (error instanceof BodyTooLarge) return tooLarge;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  const described = (response: HttpResponse | GatewayResponse, requestId: string): HttpResponse => {
    if (!errorBody || !('message' in response)) return response;
    const { statusCode: status, message, headers } = response;
    return {
      statusCode: status,
      headers: { ...headers, 'x-request-id': requestId },
      body: Buffer.from(JSON.stringify(errorBody({ status, message, requestId }))),
    };
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = randomUUID();
    const { statusCode, headers, body } = described(await respond(request, requestId), requestId);
    const withoutBody = request.method === 'HEAD' || statusCode === 204 || statusCode === 304;
    response.writeHead(statusCode, {
      ...headers,
      ...(statusCode !== 204 && { 'content-length': body.length }),
      'apigw-requestid': requestId,
    });
    response.end(withoutBody ? undefined : body);
  };
}

/**
 * Total size of the request line and the values of the headers.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const maxHeadBytes = 10_240;

/** The response to a request whose head is too large. Undefined for any other request. */
function headProblem({ method, url, httpVersion, rawHeaders }: IncomingMessage): HttpResponse | undefined {
  const lineBytes = `${method} ${url} HTTP/${httpVersion}`.length;
  if (lineBytes > maxHeadBytes) return targetTooLong;
  let bytes = lineBytes;
  for (let index = 1; index < rawHeaders.length; index += 2) bytes += rawHeaders[index]!.length;
  return bytes > maxHeadBytes ? headersTooLarge : undefined;
}
