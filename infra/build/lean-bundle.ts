import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Half of zod is its messages in 50 languages, which its namespace import keeps in every bundle: 250 KB for each function. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ path }) => ({ path, namespace: 'no-locales' }));
    onLoad({ filter: /.*/, namespace: 'no-locales' }, () => ({ contents: 'export {}' }));
  },
};

/**
 * The SDK loads this on demand, for services that stream events. None of ours does, and what may be loaded on demand takes all modules that it uses
 * out of reach of tree shaking: 50 KB for each function.
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
 * The SDK's schemas of a service stand in one file, with constants for names: `{ [_Key]: 1 }`. A computed name might have an effect, so that esbuild
 * keeps every schema that has one, used or not: 80 KB of S3's. With the names written out it keeps those of the commands that are used.
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

/** DynamoDB's client makes a cache for endpoints that it finds by asking, which no command of it does any more: 12 KB for each function. */
const noEndpointCache: Plugin = {
  name: 'no-endpoint-cache',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@aws-sdk\/endpoint-cache$/ }, ({ path }) => ({ path, namespace: 'no-endpoint-cache' }));
    onLoad({ filter: /.*/, namespace: 'no-endpoint-cache' }, () => ({ contents: 'export class EndpointCache {}' }));
  },
};

/** What a bundler cannot know to be of no use to us. */
export const leanBundle: Plugin[] = [englishOnly, noEventStreams, plainNames, noEndpointCache];
