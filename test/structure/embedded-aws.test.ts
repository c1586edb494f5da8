import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { modules, reachableFrom, readImports, valuesOf, within } from './modules.ts';

const inPackage = within('embedded-aws');
const entryPoints = ['embedded-aws/index.ts', 'embedded-aws/testing.ts'];
const folders = '{client,dashboard,delivery,embedded-aws,encoder-task,functions,infra,lab,local,shared,test,tools}';
const files = globSync(['*.{ts,mjs}', `${folders}/**/*.{ts,tsx,js,mjs}`]).filter(
  (path) => !path.includes('node_modules') && !path.startsWith('client/dist/'),
);
const importsOf = (path: string): string[] => readImports(path, readFileSync(path, 'utf8'));
/** The name of the package that an import is from. */
const packageOf = (name: string): string => /^(@[^/]+\/)?[^/]+/.exec(name)![0];

describe('embedded-aws is a package', () => {
  test('others import its two entry points, by the name of the package', () => {
    const others = files.filter((path) => !inPackage(path));
    expect(others.filter((path) => importsOf(path).includes('embedded-aws/testing.ts')).length).toBeGreaterThan(10);
    const byPath = others.filter((path) =>
      /['"`][./]+\/embedded-aws\/[\w/-]+\.m?[jt]s['"`]/.test(readFileSync(path, 'utf8')),
    );
    expect(byPath).toEqual([]);
  });

  test('it imports packages and itself', () => {
    const found = files.filter(inPackage).flatMap((path) =>
      importsOf(path)
        .filter((name) => /^\.|\//.test(name) && existsSync(name) && !inPackage(name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(found).toEqual([]);
  });

  test('its package.json lists the packages that it imports, and those that only its tests import', () => {
    const manifest = JSON.parse(readFileSync('embedded-aws/package.json', 'utf8'));
    const packagesIn = (paths: readonly string[]): string[] => {
      const names = paths.flatMap(importsOf).filter((name) => !name.startsWith('node:') && !existsSync(name));
      return [...new Set(names.map(packageOf))].toSorted();
    };
    const own = packagesIn(files.filter((path) => inPackage(path) && !within('embedded-aws/test')(path)));
    const ofTests = packagesIn(files.filter(within('embedded-aws/test')));
    expect(Object.keys(manifest.dependencies)).toEqual(own);
    expect(Object.keys(manifest.devDependencies)).toEqual(ofTests.filter((name) => !own.includes(name)));
  });

  test('a program that runs a stack loads nothing for tests', () => {
    const loaded = [...reachableFrom(['embedded-aws/index.ts'], valuesOf)];
    expect(loaded.filter(inPackage).length).toBeGreaterThan(100);
    expect(loaded.filter(within('embedded-aws/src/testing'))).toEqual([]);
    expect(modules).toEqual(expect.arrayContaining(entryPoints));
  });
});

const page = readFileSync('embedded-aws/docs/behaviours.md', 'utf8');
const header = '| service or operation | behaviour | AWS documentation | test |';
const rows = page.split('\n').filter((line) => line.startsWith('| ') && line !== header);

test('each behaviour of the embedded AWS has a page of the AWS documentation and existing tests', () => {
  expect(rows.length).toBeGreaterThan(20);
  const incomplete = rows.filter((row) => {
    const cells = row.split(' | ');
    const [, , source = '', tests = ''] = cells;
    const files = [...tests.matchAll(/`((?:embedded-aws\/)?test\/[\w./-]+\.ts)`/g)].map(([, file]) => file!);
    return (
      cells.length !== 4 ||
      !source.includes('](https://docs.aws.amazon.com/') ||
      files.length === 0 ||
      !files.every((file) => existsSync(file))
    );
  });
  expect(incomplete).toEqual([]);
});

test('each section of the page has the same table', () => {
  const sections = page.split('\n## ').slice(1);
  expect(sections.filter((section) => !section.includes(`\n\n${header}\n`))).toEqual([]);
});
