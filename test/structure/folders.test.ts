import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { type Edges, knotsOf } from './cycles.ts';
import { importsOf, labModules, modules, topFolders, within } from './modules.ts';

const all = [...modules, ...labModules];
const isModule = new Set(all);

const files = globSync(`{${topFolders.join(',')},lab,test}/**`, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath.replaceAll('\\', '/')}/${entry.name}`)
  .filter((path) => !path.includes('/node_modules/') && !path.startsWith('client/dist/'));

test('a folder has more than one file', () => {
  const single = [...Map.groupBy(files, dirname)]
    .filter(
      ([folder, paths]) =>
        paths.length === 1 && isModule.has(paths[0]!) && !files.some((path) => dirname(dirname(path)) === folder),
    )
    .map(([, [path]]) => path);
  expect(single).toEqual([]);
});

/** Alternatives of which one module chooses: each has a module, however short it is. */
const alternatives = ['encoder-task/ffmpeg/codecs', 'lab/faults/injected'];
const fewLines = 40;
/** A module may stay short when the one that uses it would be longer than this with it. */
const manyLines = 200;

test(`a module with fewer than ${fewLines} lines that only one module of its folder uses belongs into that module`, () => {
  const lines = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1;
  const users = new Map<string, string[]>();
  for (const path of all) for (const name of importsOf(path)) users.set(name, [...(users.get(name) ?? []), path]);
  const tests = files.filter(within('test', 'embedded-aws/test')).map((path) => readFileSync(path, 'utf8'));
  const found = all.flatMap((path) => {
    const [user, ...others] = users.get(path) ?? [];
    const belongs =
      user !== undefined &&
      others.length === 0 &&
      dirname(user) === dirname(path) &&
      !alternatives.includes(dirname(path)) &&
      lines(path) < fewLines &&
      lines(path) + lines(user) <= manyLines &&
      !tests.some((text) => text.includes(`/${basename(path)}'`));
    return belongs ? [`${path} belongs into ${user}`] : [];
  });
  expect(found).toEqual([]);
});

/** Modules of different programs of the lab may have the same name. */
const programs = [...new Set(labModules.map((path) => path.split('/').slice(0, 2).join('/')))];

test.each([...topFolders, ...programs])('no two modules of %s have the same file name', (folder) => {
  const duplicates = [...Map.groupBy(all.filter(within(folder)), (path) => basename(path))]
    .filter(([, paths]) => paths.length > 1)
    .map(([, paths]) => paths.join(' and '));
  expect(duplicates).toEqual([]);
});

/** Every folder with modules, and the folders above it. The parts of `lab/faults` know each other. */
const folders = [...new Set(all.flatMap(parentsOf))].filter((folder) => folder !== 'lab/faults').toSorted();

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

/**
 * In each folder, its subfolders, each as a whole, and its files form a graph without cycles. A file that combines the
 * modules of a subfolder, or that they all use, may therefore be beside that subfolder.
 */
test.each(folders)('the subfolders and files of %s import each other without cycles', (folder) => {
  const depth = folder.split('/').length;
  const childOf = (path: string): string =>
    path
      .split('/')
      .slice(0, depth + 1)
      .join('/');
  const imports = all.filter(within(folder)).flatMap((path) =>
    importsOf(path)
      .filter((target) => within(folder)(target) && childOf(target) !== childOf(path))
      .map((target) => ({ from: childOf(path), to: childOf(target), text: `${path} imports ${target}` })),
  );
  const edges: Edges = new Map(
    [...Map.groupBy(imports, ({ from }) => from)].map(([from, found]) => [from, new Set(found.map(({ to }) => to))]),
  );
  const cyclic = knotsOf(edges).map((knot) =>
    // The directions with the fewest imports come first: these are the ones to remove.
    [
      ...Map.groupBy(
        imports.filter(({ from, to }) => knot.includes(from) && knot.includes(to)),
        ({ from, to }) => `${from} -> ${to}`,
      ).values(),
    ]
      .toSorted((one, other) => one.length - other.length)
      .flatMap((found) => found.map(({ text }) => text)),
  );
  expect(cyclic).toEqual([]);
});
