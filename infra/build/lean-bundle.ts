import type { Plugin } from 'esbuild';
import { leanSchemas } from './lean-schemas.ts';

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

/** Removes the endpoint discovery cache of the DynamoDB client, which no command uses any more: 12 KB per function. */
const noEndpointCache: Plugin = {
  name: 'no-endpoint-cache',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@aws-sdk\/endpoint-cache$/ }, ({ path }) => ({ path, namespace: 'no-endpoint-cache' }));
    onLoad({ filter: /.*/, namespace: 'no-endpoint-cache' }, () => ({ contents: 'export class EndpointCache {}' }));
  },
};

/** Removes code that the bundler cannot recognise as unused. */
export const leanBundle: Plugin[] = [englishOnly, noEventStreams, leanSchemas, noEndpointCache];
