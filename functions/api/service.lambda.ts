import { readEnvironment } from '../../shared/environment.ts';
import type { StageSettings } from '../../shared/stage-settings.ts';
import { ServiceUnavailable } from '../common/errors.ts';
import { apiVersion } from '../contracts/api-version.ts';
import { openApiDocument } from '../contracts/openapi-document.ts';
import { serviceRoutes } from '../contracts/routes/service-routes.ts';
import { settingsRoutes } from '../contracts/routes/settings-routes.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { serializeSettings } from '../serializers/serialize-settings.ts';
import { countAdministrators } from '../table/accounts/user-table.ts';

let document: ReturnType<typeof openApiDocument> | undefined;
let publishedDocument: Record<string, unknown> | undefined;

/** Created at the first request, so that health checks do not wait for it. */
function openApi(): ReturnType<typeof openApiDocument> {
  document ??= openApiDocument();
  return document;
}

/** One read checks both that the table is available and that an administrator exists. The result is not cached. */
const health = route(serviceRoutes.health, async () => {
  if ((await countAdministrators()) < 1)
    throw new ServiceUnavailable('not_set_up', 'The service is not set up yet: it has no administrator.');
  return { status: 'ok' as const, version: apiVersion };
});

const openapi = route(serviceRoutes.openapi, async () => {
  publishedDocument ??= { ...openApi() };
  return publishedDocument;
});

const settings = route(settingsRoutes.get, async () => {
  const stageSettings = JSON.parse(readEnvironment('STAGE_SETTINGS')) as StageSettings;
  return { data: serializeSettings(readEnvironment('STAGE'), stageSettings) };
});

export const handler = createApiHandler([health, openapi, settings]);
