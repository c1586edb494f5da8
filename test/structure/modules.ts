import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The top folders that hold the product's code; a folder that does not exist yet adds no files. */
export const topFolders = [
  'client',
  'dashboard',
  'delivery',
  'embedded-aws',
  'encoder-task',
  'functions',
  'infra',
  'local',
  'shared',
  'tools',
] as const;

const modulesOf = (...folders: string[]): readonly string[] =>
  globSync(folders.map((folder) => `${folder}/**/*.{ts,tsx,js,mjs}`))
    .map((path) => path.replaceAll('\\', '/'))
    .filter(
      (path) =>
        !path.includes('/node_modules/') && !path.startsWith('client/dist/') && !path.startsWith('embedded-aws/test/'),
    )
    .toSorted();

/** All modules of the product, as paths from the top of the repository. */
export const modules = modulesOf(...topFolders);

/** Programs that try the product out. They may import it, and what its tests share. */
export const labModules = modulesOf('lab');

const importPatterns = [
  /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"];$/gm,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
  /\bcreateRequire\(\s*import\.meta\.url,?\s*\)\(\s*['"]([^'"]+)['"]/g,
];

const typeImport = /^(?:import|export)\stype\s[^'";]*?\sfrom\s['"][^'"]+['"];$/gm;

/** The entry points of the package in this repository that others import by its name. */
const entryPoints: Readonly<Record<string, string>> = {
  'embedded-aws': 'embedded-aws/index.ts',
  'embedded-aws/testing': 'embedded-aws/testing.ts',
};

const all = [...modules, ...labModules];
const importsByModule = new Map(all.map((path) => [path, readImports(path, readFileSync(path, 'utf8'))]));
const valuesByModule = new Map(
  all.map((path) => [path, readImports(path, readFileSync(path, 'utf8').replaceAll(typeImport, ''))]),
);

/** What a module imports, for values or types: paths from the top of the repository, or names of packages. */
export const importsOf = (path: string): readonly string[] => importsByModule.get(path) ?? [];

/** What a module imports for values, which it loads when it runs. */
export const valuesOf = (path: string): readonly string[] => valuesByModule.get(path) ?? [];

/** The imports in the text of a module at `path`. */
export function readImports(path: string, text: string): string[] {
  const names = importPatterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]!));
  const target = (name: string): string =>
    name.startsWith('.') ? normalize(join(dirname(path), name)) : (entryPoints[name] ?? name);
  return [...new Set(names.map(target))];
}

/** A predicate for paths below one of the folders. */
export const within =
  (...folders: string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`));

export const topFolderOf = (path: string): string => path.slice(0, path.indexOf('/'));

/** The given modules and everything that they import, directly or through other modules. */
export function reachableFrom(starts: readonly string[], edges = importsOf): Set<string> {
  const reached = new Set<string>();
  const open = [...starts];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    open.push(...edges(path));
  }
  return reached;
}
