import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { repositoryRoot } from '../repository-root.ts';

/**
 * Reduces the schemas of an SDK client to what the used commands need. With literal names and without the classes of
 * errors that no code asks for, esbuild recognises the rest as unused: 80 KB for S3, 90 KB for SSM.
 * Without it `api/videos` has 330 KB more and starts with a third to a half more processor time.
 */
export const leanSchemas: Plugin = {
  name: 'lean-schemas',
  setup({ onLoad }) {
    let imported: Promise<string[]> | undefined;
    onLoad({ filter: /\/dist-es\/schemas\/schemas_0\.js$/ }, async ({ path }) => {
      const schemas = await readFile(path, 'utf8');
      const errors = await readFile(join(path, '../../models/errors.js'), 'utf8');
      imported ??= importedNames();
      const needed = new Set([...(await imported), ...retriedErrors(errors)]);
      const named = withLiteralNames(schemas);
      if (named === schemas || !registration.test(schemas)) return { errors: [{ text: changed(path) }] };
      return { contents: withoutErrors(named, needed) };
    });
  },
};

const registration = /^n0_registry\.registerError\(\w+\$, (\w+)\);$/m;

const changed = (path: string): string =>
  `${path} has no computed names or no registrations of errors as infra/build/lean-schemas.ts knows them: compare them \
with the patterns there, and correct the patterns`;

/** Replaces computed property names such as `{ [_Key]: 1 }`, which may have side effects, by literals. */
function withLiteralNames(schemas: string): string {
  const names = new Map(schemas.matchAll(/^const (\w+) = ("[^"]*");$/gm).map(([, constant, name]) => [constant, name]));
  return schemas.replaceAll(/\[(_\w+)\]:/g, (computed, constant: string) =>
    names.has(constant) ? `${names.get(constant)}:` : computed,
  );
}

/**
 * The client registers a class for each error of its service. Without one, an error is an instance of the client's
 * base class, with the same name, message and fields.
 */
const withoutErrors = (schemas: string, needed: ReadonlySet<string>): string =>
  schemas.replaceAll(new RegExp(registration, 'gm'), (text, error: string) => (needed.has(error) ? text : ''));

/** Errors whose class tells the client to retry. */
const retriedErrors = (errors: string): string[] =>
  errors
    .split(/^export class /m)
    .filter((definition) => definition.includes('$retryable'))
    .map((definition) => /^\w+/.exec(definition)![0]);

/** What the code of the service imports from SDK clients, error classes among it. */
async function importedNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const file of glob('{functions,shared,encoder-task}/**/*.ts', { cwd: repositoryRoot })) {
    const code = await readFile(join(repositoryRoot, file), 'utf8');
    for (const [, list] of code.matchAll(/import (?:type )?\{([^}]*)\} from '@aws-sdk\/client-[^']+'/g)) {
      names.push(...list!.matchAll(/\w+/g).map(([name]) => name));
    }
  }
  return names;
}
