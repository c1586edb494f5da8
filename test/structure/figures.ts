import { readFileSync } from 'node:fs';
import { importsOf, labModules, modules, topFolders, within } from './modules.ts';

/**
 * `node test/structure/figures.ts` prints for each top folder its modules, their lines, the lines of the median module,
 * and how many of its modules other top folders import.
 */
const all = [...modules, ...labModules];
/** Entry points of the package are imported by its name. */
const entryPoints: Record<string, string> = {
  'embedded-aws': 'embedded-aws/index.ts',
  'embedded-aws/testing': 'embedded-aws/testing.ts',
};
const folderOf = (path: string): string => path.split('/')[0]!;
const importedFromOutside = new Set(
  all.flatMap((path) =>
    importsOf(path)
      .map((target) => entryPoints[target] ?? target)
      .filter((target) => folderOf(target) !== folderOf(path)),
  ),
);

const row = (name: string, paths: readonly string[]): (string | number)[] => {
  const lines = paths.map((path) => readFileSync(path, 'utf8').split('\n').length - 1).toSorted((a, b) => a - b);
  const sum = lines.reduce((total, count) => total + count, 0);
  const outside = paths.filter((path) => importedFromOutside.has(path)).length;
  return [name, paths.length, sum, lines[Math.floor(lines.length / 2)] ?? 0, outside];
};

const rows = [
  ['folder', 'modules', 'lines', 'median', 'imported from outside'],
  ...[...topFolders, 'lab'].map((folder) => row(folder, all.filter(within(folder)))),
  row('all', all),
];
for (const [name, ...figures] of rows) {
  console.log(`${String(name).padEnd(14)}${figures.map((figure) => String(figure).padStart(10)).join('')}`);
}
