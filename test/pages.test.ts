import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const pages = globSync('{README,CONTRIBUTING,SECURITY,docs/*,embedded-aws/README,embedded-aws/docs/*}.md', {
  cwd: root,
});
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts);

/** GitHub's anchors of a page's headings. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

describe.each(pages)('%s', (page) => {
  const text = textOf(page);
  const found = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1]!);

  test('names existing scripts', () => {
    const named = found(
      /\bnpm (?:run )?(?!run\b|ci\b|pack\b)((?:test|start|[a-z]+(?:-[a-z]+)*(?::[a-z]+)?))(?= --|`|$| +#)/gm,
    );
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  });

  test('names existing programs and files', () => {
    const named = [
      ...found(/\bnode ([\w./-]+\.(?:ts|mjs))/g),
      ...found(/`((?:infra|functions|lab|shared|test|encoder-task|docs)\/[\w./-]+)`/g),
    ];
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('links to existing files and headings', () => {
    const broken = found(/\]\((?!https?:)([^)\s]+)\)/g).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : resolve('/', dirname(page), path).slice(1);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

test('there are pages to look at, with scripts in them', () => {
  expect(pages).not.toHaveLength(0);
  expect(textOf('README.md')).toMatch(/npm run smoke/);
});
