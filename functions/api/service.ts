import type { APIGatewayProxyEventV2, APIGatewayProxyResultV2, Context } from 'aws-lambda';
import * as z from 'zod';
import { PermanentRedirect, ServiceUnavailable } from '../common/errors.ts';
import { apiVersion } from '../contracts/api-version.ts';
import { openApiDocument } from '../contracts/openapi-document.ts';
import { serviceRoutes } from '../contracts/routes/service-routes.ts';
import type { ApiEvent } from '../http/call.ts';
import { docsPage, docsSecurityPolicy } from '../http/docs-page.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { errorResponse } from '../http/responses.ts';
import { getItem } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';

let document: ReturnType<typeof openApiDocument> | undefined;
let page: string | undefined;
let published: Record<string, unknown> | undefined;

/** Made at the first request for it: a health check should not pay for it. */
function openApi(): ReturnType<typeof openApiDocument> {
  document ??= openApiDocument();
  return document;
}

const administrators = z.object({ value: z.int().default(0) });

/** One read answers both questions, whether the table answers and whether there is an administrator, so no answer is kept. */
const health = route(serviceRoutes.health, async () => {
  const { value } = (await getItem(administrators, keys.counter('administrator'))) ?? { value: 0 };
  if (value < 1) throw new ServiceUnavailable('The service is not set up yet: it has no administrator.');
  return { status: 'ok' as const, version: apiVersion };
});

const openapi = route(serviceRoutes.openapi, async () => {
  published ??= { ...openApi() };
  return published;
});

const docs = route(serviceRoutes.docs, async ({ headers }) => {
  headers['content-security-policy'] = docsSecurityPolicy;
  page ??= docsPage(openApi());
  return page;
});

const known = createApiHandler([health, openapi, docs]);

/**
 * The gateway sends here what no function's paths match. A path with a slash at its end is one: the gateway takes it for another path than the same
 * without.
 */
export async function handler(event: APIGatewayProxyEventV2, context: Context): Promise<APIGatewayProxyResultV2> {
  const { rawPath, rawQueryString, requestContext } = event;
  // Not `//host/`, which browsers take for another origin.
  const path = /^(\/[^/\\].*?)\/+$/.exec(rawPath)?.[1];
  if (path === undefined || requestContext.http.method === 'OPTIONS') return known(event as ApiEvent, context);
  return errorResponse(event, new PermanentRedirect(rawQueryString === '' ? path : `${path}?${rawQueryString}`));
}
