import type { Plugin } from 'esbuild';

/**
 * A package that is kept out of bundles, and the clients that are known to reach it. Without `contents`, an import of
 * the kind stays in the bundle, and would fail.
 */
type UnusedImport = { name: string; path: string; kind?: 'dynamic-import'; clients: RegExp; contents?: string };

/**
 * Leaves out a package that SDK clients import, but no command that we use needs. Fails the build when a client is
 * bundled and the package is not imported any more: the code may have moved to where this does not find it.
 */
const withoutImport = ({ name, path, kind, clients, contents }: UnusedImport): Plugin => ({
  name,
  setup({ onResolve, onLoad, onEnd }) {
    let client: string | undefined;
    let isFound = false;
    onResolve({ filter: clients }, (asked) => {
      client = asked.path;
      return undefined;
    });
    onResolve({ filter: new RegExp(`^${path}$`) }, (asked) => {
      if (kind !== undefined && asked.kind !== kind) return undefined;
      isFound = true;
      return contents === undefined ? { path, external: true } : { path, namespace: name };
    });
    onLoad({ filter: /.*/, namespace: name }, () => ({ contents: contents! }));
    onEnd(({ errors }) => {
      if (client === undefined || isFound || errors.length > 0) return undefined;
      const text = `${client} does not import ${path} any more: see what it has instead, and correct or delete the \
entry in infra/build/lean-sdk.ts`;
      return { errors: [{ text }] };
    });
  },
});

export const leanSdk: readonly Plugin[] = [
  /**
   * The SDK imports it dynamically for services with event streams. We use none, and a dynamic import disables tree
   * shaking for everything that it reaches: 50 KB per function.
   */
  withoutImport({
    name: 'no-event-streams',
    path: '@smithy/core/event-streams',
    kind: 'dynamic-import',
    clients: /^@aws-sdk\/client-/,
  }),
  /** The endpoint discovery of the DynamoDB client, which no command uses any more: 12 KB per function. */
  withoutImport({
    name: 'no-endpoint-cache',
    path: '@aws-sdk/endpoint-cache',
    clients: /^@aws-sdk\/client-dynamodb$/,
    contents: 'export class EndpointCache {}',
  }),
];
