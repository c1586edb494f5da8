import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import type { SiteManifest } from '../../shared/site-manifest.ts';
import { MethodNotAllowed, NoSuchRoute, PermanentRedirect } from '../common/errors.ts';
import { addRequestToLog } from '../common/log.ts';
import { errorResponse, preflightResponse, successResponse } from '../http/responses.ts';
import { fileResponse } from './file-response.ts';
import { findContent } from './find-content.ts';

type Handler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;

/** Serves the files that the build wrote into a folder. It opens only files that the manifest names. */
export function createSiteHandler(folder: string): Handler {
  let manifest: SiteManifest | undefined;
  const readManifest = (): SiteManifest => {
    manifest ??= JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as SiteManifest;
    return manifest;
  };
  const read = (file: string): Promise<Buffer> => readFile(join(folder, file));

  async function respond(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
    const { rawPath, headers } = event;
    const { method } = event.requestContext.http;
    if (method !== 'OPTIONS') redirectTrailingSlash(event);
    const isDescription = rawPath === appDescriptionPath;
    const content = isDescription ? undefined : findContent(readManifest(), rawPath, headers.accept);
    if (!content && !isDescription) throw new NoSuchRoute();
    if (method === 'OPTIONS') return preflightResponse(event);
    if (method !== 'GET' && method !== 'HEAD') throw new MethodNotAllowed(method, rawPath, ['GET', 'HEAD']);
    return content ? fileResponse(event, content, read) : successResponse(event, appDescription(readManifest()));
  }

  return async (event) => {
    addRequestToLog(event.requestContext.requestId);
    try {
      return await respond(event);
    } catch (error) {
      return errorResponse(event, error);
    }
  };
}

/**
 * The gateway treats a path with a trailing slash as another path, which no function has.
 * @throws PermanentRedirect
 */
function redirectTrailingSlash({ rawPath, rawQueryString }: APIGatewayProxyEventV2): void {
  // The path is decoded. Only characters that need no encoding, and no empty part: browsers take `//host` and
  // `/\t/host` for another origin.
  const path = /^((?:\/[\w.~-]+)+)\/+$/.exec(rawPath)?.[1];
  if (path !== undefined) throw new PermanentRedirect(rawQueryString === '' ? path : `${path}?${rawQueryString}`);
}

const appDescriptionPath = '/app.json';

/**
 * What the dashboard has to know before it starts. The settings of the stage are not part of its files, so that a build
 * is the same for all stages.
 */
const appDescription = ({ build }: SiteManifest) => ({
  /** A tab that was loaded from another build reloads itself. */
  build,
  /** Whether everyone may create an account. */
  registration: readEnvironment('REGISTRATION'),
  /** Whether the list of videos can be searched for words of captions. */
  transcriptSearch: readEnvironment('TRANSCRIPT_SEARCH'),
});
