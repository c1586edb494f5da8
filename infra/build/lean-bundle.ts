import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Removes the error messages of zod in 50 languages, which its namespace import keeps: 250 KB per function. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ path }) => ({ path, namespace: 'no-locales' }));
    onLoad({ filter: /.*/, namespace: 'no-locales' }, () => ({ contents: 'export {}' }));
  },
};

/**
 * Keeps a module out of the bundle that the SDK imports dynamically for services with event streams. We use none, and
 * a dynamic import disables tree shaking for everything that it reaches: 50 KB per function.
 */
const noEventStreams: Plugin = {
  name: 'no-event-streams',
  setup({ onResolve }) {
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Replaces computed property names by literals in the schemas of the SDK, such as `{ [_Key]: 1 }`. A computed name may
 * have a side effect, so esbuild keeps every schema that has one: 80 KB for S3. With literals it keeps the schemas of
 * the commands that are used.
 */
const plainNames: Plugin = {
  name: 'plain-names',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist-es\/schemas\/schemas_0\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const names = new Map(
        code.matchAll(/^const (\w+) = ("[^"]*");$/gm).map(([, constant, name]) => [constant, name]),
      );
      return {
        contents: code.replaceAll(/\[(_\w+)\]:/g, (computed, constant: string) =>
          names.has(constant) ? `${names.get(constant)}:` : computed,
        ),
      };
    });
  },
};

/** Removes the endpoint discovery cache of the DynamoDB client, which no command uses any more: 12 KB per function. */
const noEndpointCache: Plugin = {
  name: 'no-endpoint-cache',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@aws-sdk\/endpoint-cache$/ }, ({ path }) => ({ path, namespace: 'no-endpoint-cache' }));
    onLoad({ filter: /.*/, namespace: 'no-endpoint-cache' }, () => ({ contents: 'export class EndpointCache {}' }));
  },
};

/** Removes code that the bundler cannot recognise as unused. */
export const leanBundle: Plugin[] = [englishOnly, noEventStreams, plainNames, noEndpointCache];
