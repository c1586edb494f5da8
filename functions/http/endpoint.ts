import middy, { type Request as MiddyRequest } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { now } from '../../shared/clock.ts';
import { Forbidden, NotFound, ServiceUnavailable, TokenAbilityMissing } from '../common/errors.ts';
import { addRequestToLog } from '../common/log.ts';
import { abilitiesOf, type RouteDeclaration } from '../contracts/route-declaration.ts';
import { authenticate, requireConfirmation } from './authenticate.ts';
import type { ApiEvent, Call, Lookup, Request, ResponseBody, Route } from './call.ts';
import { callerAddress } from './client-network.ts';
import { limitRequestRate } from './limits/limit-rate.ts';
import { matchRoute } from './match-route.ts';
import { readBody, readFileBody } from './read-body.ts';
import { readQuery } from './read-query.ts';
import { errorResponse, preflightResponse, successResponse } from './responses.ts';
import { readSessionCookie } from './session-cookie.ts';
import { applyUploadToken } from './upload-token.ts';
import { validate } from './validate.ts';

/** An endpoint: route declaration and handler. The handler returns the response body, or throws an ApiError. */
export function route<const Declaration extends RouteDeclaration>(
  declaration: Declaration,
  handle: (request: Request<Declaration>) => Promise<ResponseBody<Declaration>>,
): Route {
  return { declaration, handle };
}

/**
 * An endpoint for callers that are not users. `identify` resolves the Authorization header to a caller; undefined
 * becomes 401, before the body is parsed.
 */
export function machineRoute<const Declaration extends RouteDeclaration, Caller>(
  declaration: Declaration,
  identify: (authorization: string | undefined) => Promise<Caller | undefined>,
  handle: (request: Request<Declaration, undefined, Caller>) => Promise<ResponseBody<Declaration>>,
): Route {
  return { declaration, identify, handle };
}

/**
 * An endpoint of one record. `find` loads the record that the path names; undefined becomes 404, before the request is
 * validated.
 */
export function recordRoute<const Declaration extends RouteDeclaration, Found>(
  declaration: Declaration,
  find: (lookup: Lookup<Declaration>) => Promise<Found | undefined>,
  handle: (request: Request<Declaration, Found>) => Promise<ResponseBody<Declaration>>,
): Route {
  return { declaration, find, handle };
}

type Stack = MiddyRequest<ApiEvent, APIGatewayProxyStructuredResultV2>;

type LambdaHandler = (event: ApiEvent, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** How long before Lambda stops the function a request is given up: two seconds before the gateway stops waiting. */
const reserveMilliseconds = 3000;

/**
 * Answers 503 to a request that takes too long, in the checks or in the endpoint's handler. The gateway would answer
 * 503 without a reason. What the request has begun goes on.
 */
function respondInTime(handle: LambdaHandler): LambdaHandler {
  return async (event, context) => {
    addRequestToLog(event.requestContext.requestId);
    const late = Promise.withResolvers<APIGatewayProxyStructuredResultV2>();
    const giveUp = (): void =>
      late.resolve(
        errorResponse(event, new ServiceUnavailable('request_too_slow', 'The request took too long. Try again later.')),
      );
    const timer = setTimeout(giveUp, Math.max(0, context.getRemainingTimeInMillis() - reserveMilliseconds));
    try {
      return await Promise.race([handle(event, context), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * The handler of one Lambda of the API. The order of the checks: 404 path, 405, 401, 419, 403, 429, 413 / 415 / 400,
 * 404 record, 422. Then the endpoint's handler runs.
 * @param options.aliases path prefixes that are rewritten, such as `/api/s3` to `/api/objstore`
 * @param options.respondOnce for routes that take an Idempotency-Key: other functions need no access to its records
 */
export function createApiHandler(
  routes: readonly Route[],
  { aliases = {}, respondOnce }: { aliases?: Aliases; respondOnce?: RespondOnce } = {},
): LambdaHandler {
  const keyed = routes.find(({ declaration }) => declaration.repeats);
  if (keyed && !respondOnce) throw new Error(`${keyed.declaration.operationId} takes an Idempotency-Key`);
  return respondInTime(checkedHandler(routes, aliases, respondOnce ?? ((_, respond) => respond())));
}

type Aliases = Readonly<Record<string, string>>;

type RespondOnce = (
  event: ApiEvent,
  respond: () => Promise<APIGatewayProxyStructuredResultV2>,
) => Promise<APIGatewayProxyStructuredResultV2>;

const checkedHandler = (routes: readonly Route[], aliases: Aliases, respondOnce: RespondOnce) =>
  // Its own time limit leaves out the checks.
  middy<ApiEvent, APIGatewayProxyStructuredResultV2>({ timeoutEarlyInMillis: 0 })
    .before(async ({ event }: Stack) => {
      const { method } = event.requestContext.http;
      const match = matchRoute(routes, method, resolveAlias(event.rawPath, aliases));
      if (!match) return preflightResponse(event);
      event.call = newCall(event, match, await callerAddress(event));
      return undefined;
    })
    .before(({ event }: Stack) => authenticate(event))
    .before(({ event }: Stack) => requireAdmin(event.call))
    .before(({ event }: Stack) => restrictToAbilities(event.call))
    .before(({ event: { call } }: Stack) => {
      if (call.route.declaration.needsConfirmation) requireConfirmation(call);
    })
    .before(({ event }: Stack) => limitRequestRate(event.call))
    .before(({ event: { call }, event }: Stack) => {
      call.rawQuery = readQuery(event.rawQueryString, call.route.declaration);
      call.rawBody = readBody(event);
      call.file = readFileBody(event);
      if (call.direct) applyUploadToken(call, call.direct);
      rejectAdminFields(call);
    })
    .before(({ event }: Stack) => findRecord(event.call))
    .before(({ event }: Stack) => validate(event.call))
    .onError((request: Stack) => {
      request.response = errorResponse(request.event, request.error);
    })
    .handler((event: ApiEvent) =>
      respondOnce(event, async () => successResponse(event, await event.call.route.handle(event.call as never))),
    );

const resolveAlias = (path: string, aliases: Aliases): string => {
  const alias = Object.keys(aliases).find((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  return alias === undefined ? path : `${aliases[alias]}${path.slice(alias.length)}`;
};

const newCall = (event: APIGatewayProxyEventV2, match: Pick<Call, 'route' | 'pathParams'>, sourceIp: string): Call => ({
  event,
  ...match,
  sourceIp,
  startedAtMilliseconds: now(),
  user: undefined,
  caller: undefined,
  session: undefined,
  abilities: undefined,
  direct: undefined,
  sessionSecret: readSessionCookie(event),
  rawQuery: {},
  rawBody: {},
  file: undefined,
  outcome: { isReplaced: false },
  params: undefined,
  query: undefined,
  body: undefined,
  found: undefined,
  headers: {},
  cookies: [],
});

function requireAdmin({ route, user }: Call): void {
  if (route.declaration.access === 'admin' && !user?.isAdmin) throw new Forbidden();
}

/** Without the ability `admin`, the token of an administrator acts as that of an ordinary user. */
function restrictToAbilities(call: Call): void {
  const { route, user, abilities } = call;
  if (abilities === undefined || abilities.includes('*')) return;
  const needed = abilitiesOf(route.declaration);
  if (!needed.some((ability) => abilities.includes(ability))) throw new TokenAbilityMissing(needed);
  if (user && !abilities.includes('admin')) call.user = { ...user, isAdmin: false };
}

function rejectAdminFields({ route, user, rawQuery, rawBody }: Call): void {
  const fields = route.declaration.adminFields ?? [];
  if (!user?.isAdmin && fields.some((field) => field in rawQuery || field in rawBody)) throw new Forbidden();
}

async function findRecord(call: Call): Promise<void> {
  const { find } = call.route;
  if (!find) return;
  const { pathParams: params, user, direct, rawQuery } = call;
  call.found = await find({ params, user, direct, rawQuery } as never);
  if (call.found === undefined) throw new NotFound();
}
