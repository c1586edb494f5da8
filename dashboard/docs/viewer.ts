import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { fetchThroughPage } from './ask-page.ts';
import { makeAccessible } from './make-accessible.ts';
import './viewer.css';

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
  spec: await response.json(),
  domNode: viewer,
  deepLinking: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
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
