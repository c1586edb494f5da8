import * as z from 'zod';
import { apiVersion } from '../../shared/api-version.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { serviceRoutes } from '../../shared/routes/service.ts';
import { getItem } from '../../shared/table/items.ts';
import { keys } from '../../shared/table/keys.ts';
import { api, route } from '../http.ts';
import { docsPage, docsSecurityPolicy } from '../service/docs-page.ts';

let document: ReturnType<typeof openApiDocument> | undefined;
let page: string | undefined;

/** Made at the first request for it: a health check should not pay for it. */
function openApi(): ReturnType<typeof openApiDocument> {
  document ??= openApiDocument();
  return document;
}

const health = route(serviceRoutes.health, async () => {
  await getItem(z.unknown(), keys.counter('user'));
  return { status: 'ok' as const, version: apiVersion };
});

const openapi = route(serviceRoutes.openapi, async () => ({ ...openApi() }));

const docs = route(serviceRoutes.docs, async ({ headers }) => {
  headers['content-security-policy'] = docsSecurityPolicy;
  page ??= docsPage(openApi());
  return page;
});

export const handler = api([health, openapi, docs]);
