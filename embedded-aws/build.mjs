import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/*
 * `node build.mjs [FOLDER]` writes the package that is published into a folder (`dist`): JavaScript with types, because
 * Node does not run TypeScript of installed packages. Within the repository the sources are used as they are.
 */

const folder = import.meta.dirname;
const target = resolve(process.argv[2] ?? join(folder, 'dist'));
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

rmSync(target, { recursive: true, force: true });
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', join(folder, 'tsconfig.json'), '--outDir', target], {
  stdio: 'inherit',
});
const copied = [...globSync('src/**/*.{mjs,cjs}', { cwd: folder }), 'README.md', 'CHANGELOG.md', 'docs'];
for (const path of copied) cpSync(join(folder, path), join(target, path), { recursive: true });
cpSync(join(folder, '../LICENSE'), join(target, 'LICENSE'));

const {
  private: _,
  devDependencies: __,
  exports,
  ...rest
} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
/** @param {string} source */
const built = (source) => ({ types: source.replace(/\.ts$/, '.d.ts'), default: source.replace(/\.ts$/, '.js') });
const published = {
  ...rest,
  exports: Object.fromEntries(Object.entries(exports).map(([name, source]) => [name, built(source)])),
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
