import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './viewer.css';
import { filterOperations } from './filter-operations.ts';
import { makeAccessible } from './make-accessible.ts';
import { withBearerAuthOnly } from './viewer-document.ts';
import { isBodiless, type ViewerRequest, type ViewerResponse } from './viewer-messages.ts';

const waiting = new Map<number, (response: ViewerResponse) => void>();
let lastId = 0;

addEventListener('message', ({ source, data }: MessageEvent<ViewerResponse>) => {
  if (source !== parent) return;
  waiting.get(data.id)?.(data);
  waiting.delete(data.id);
});

/** `fetch` through the page around the frame, which is the only one that may send requests. */
async function fetchThroughPage(request: Omit<ViewerRequest, 'id'>): Promise<Response> {
  const id = ++lastId;
  const response = await new Promise<ViewerResponse>((resolve) => {
    waiting.set(id, resolve);
    parent.postMessage({ ...request, id } satisfies ViewerRequest, '*');
  });
  if ('error' in response) throw new TypeError(response.error);
  const { status, statusText, headers, body } = response;
  return new Response(isBodiless(status) ? null : body, { status, statusText, headers });
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const viewer = document.getElementById('viewer')!;
const response = await fetchThroughPage({
  url: '/api/openapi.json',
  method: 'GET',
  headers: { accept: 'application/json' },
  body: undefined,
});

SwaggerUI({
  spec: withBearerAuthOnly(await response.json()),
  domNode: viewer,
  deepLinking: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  plugins: [{ fn: { opsFilter: filterOperations } }],
  // It colours with inline styles of low contrast.
  syntaxHighlight: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: (request) => ({
    ...request,
    userFetch: (url, { method = 'GET', headers = {}, body }) =>
      fetchThroughPage({ url, method, headers, body: typeof body === 'string' ? body : undefined }),
  }),
  onComplete: () => makeAccessible(viewer),
});
