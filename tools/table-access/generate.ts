import { writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { handlerFiles, handlers } from '../../infra/build/bundle.ts';
import { repositoryRoot } from '../../infra/repository-root.ts';
import type { TableAccess } from '../../infra/table-access.ts';
import { itemAccess } from './item-access.ts';

const file = new URL('../../infra/table-access.json', import.meta.url);
const lineWidth = 120;

/** Tree-shaken modules of the repository for each handler, without packages: enough to know what its code reaches. */
export async function ownCode(names: readonly string[]): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: Object.fromEntries(names.map((name) => [name, handlerFiles(name).entry])),
    outdir: '/',
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    packages: 'external',
    logLevel: 'warning',
  });
  return new Map(names.map((name) => [name, outputFiles.find(({ path }) => path === `/${name}.js`)?.text ?? '']));
}

/** What a function may do with the table, from its own code. */
export function accessOf(code: string): TableAccess {
  const { read, write, indexes } = itemAccess(code);
  return {
    ...listOf('read', read.difference(write)),
    ...listOf('write', write),
    ...listOf('indexes', indexes),
  };
}

/** The text of `infra/table-access.json`. Functions without access are not in it. */
export function textOf(accesses: readonly (readonly [string, TableAccess])[]): string {
  const entries = accesses
    .filter(([, access]) => Object.keys(access).length > 0)
    .map(([name, access]) => `  "${name}": ${format(access)}`);
  return `{\n${entries.join(',\n')}\n}\n`;
}

const listOf = (name: keyof TableAccess, values: ReadonlySet<string>): TableAccess =>
  values.size === 0 ? {} : { [name]: [...values].toSorted() };

/** As the formatter of the repository writes it. */
function format(access: TableAccess): string {
  const lists = Object.entries(access).map(([name, values]) => {
    const line = `    "${name}": [${values.map((value) => JSON.stringify(value)).join(', ')}]`;
    if (line.length < lineWidth) return line;
    return `    "${name}": [\n${values.map((value) => `      ${JSON.stringify(value)}`).join(',\n')}\n    ]`;
  });
  return `{\n${lists.join(',\n')}\n  }`;
}

if (import.meta.main) {
  const code = await ownCode(handlers);
  await writeFile(file, textOf(handlers.map((name) => [name, accessOf(code.get(name)!)])));
}
