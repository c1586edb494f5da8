import { createHash } from 'node:crypto';
import type { openApiDocument } from '../contracts/openapi-document.ts';

type Document = ReturnType<typeof openApiDocument>;

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
h2 { border-bottom: 1px solid; margin-top: 2.5rem; }
details { border: 1px solid #8886; border-radius: 6px; margin: .5rem 0; padding: .5rem .75rem; }
summary { cursor: pointer; }
code { font: .9em ui-monospace, monospace; }
pre { overflow-x: auto; }
.method { display: inline-block; font-weight: 600; min-width: 4.5rem; }
`;

/** The page has no scripts and loads nothing. Its only style sheet is allowed by its hash. */
export const docsSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The OpenAPI document as one self-contained page. */
export function docsPage(document: Document): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
  const sections = (document.tags ?? []).map(({ name }) => {
    const inSection = operations.filter(({ operation }) => operation.tags?.includes(name));
    return `<h2>${escapeHtml(name)}</h2>${inSection.map(operationSection).join('')}`;
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(document.info.title)}</title><style>${style}</style>
<h1>${escapeHtml(document.info.title)} <small>${escapeHtml(document.info.version)}</small></h1>
<p>${escapeHtml(document.info.description ?? '')}</p>
<p>Also available as <a href="/api/openapi.json">OpenAPI</a>.</p>
${sections.join('\n')}
<h2>Schemas</h2>
${Object.entries(document.components?.schemas ?? {})
  .map(
    ([name, schema]) =>
      `<details id="${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${jsonBlock(schema)}</details>`,
  )
  .join('')}
</html>`;
}

type Operation = {
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: unknown[];
  requestBody?: unknown;
  responses?: Record<string, unknown>;
};

function operationSection({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { summary = '', description, parameters, requestBody, responses = {} } = operation;
  return `<details><summary><code><span class="method">${method.toUpperCase()}</span> ${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
${description ? `<p>${escapeHtml(description)}</p>` : ''}
${parameters?.length ? `<h4>Parameters</h4>${jsonBlock(parameters)}` : ''}
${requestBody ? `<h4>Body</h4>${jsonBlock(requestBody)}` : ''}
<h4>Responses</h4>${jsonBlock(responses)}</details>`;
}

const jsonBlock = (value: unknown): string =>
  `<pre><code>${escapeHtml(JSON.stringify(value, undefined, 2))}</code></pre>`;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
