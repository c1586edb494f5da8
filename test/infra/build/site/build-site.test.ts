import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSite } from '../../../../infra/build/site/build-site.ts';
import type { SiteManifest } from '../../../../shared/site-manifest.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'site-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const readText = (site: string, path: string): Promise<string> => readFile(join(folder, site, path), 'utf8');

async function contentsOf(site: string): Promise<[string, string][]> {
  const entries = await readdir(join(folder, site), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files
      .toSorted()
      .map(
        async (file): Promise<[string, string]> => [file.slice(join(folder, site).length), await readFile(file, 'hex')],
      ),
  );
}

describe('a site of two pages', () => {
  const sources: Record<string, string> = {
    'index.html':
      '<html><head><title>One</title><link rel="icon" href="icon.svg"></head><body><script type="module" src="main.ts"></script></body></html>',
    'main.ts': "import './main.css';\nimport { shared } from './shared.ts';\nshared(() => import('./later.ts'));",
    'main.css': 'a { color: red; background: url(./icon.svg) }',
    'later.ts': `import './later.css';\nexport const later = '${'later '.repeat(500)}';`,
    'later.css': 'b { color: blue }',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'shared.ts': "export const shared = (load: unknown) => console.log('shared', load);",
    'embed/index.html': '<html><head><script type="module" src="main.ts"></script></head></html>',
    'embed/main.ts': "import { shared } from '../shared.ts';\nshared(1);",
  };
  const pages = [
    { name: 'app', html: 'index.html' },
    { name: 'embed', html: 'embed/index.html' },
  ];
  let manifest: SiteManifest;
  const build = async (site: string, changes: Record<string, string> = {}) => {
    const source = join(folder, `${site}-sources`);
    for (const [file, text] of Object.entries({ ...sources, ...changes })) {
      await mkdir(dirname(join(source, file)), { recursive: true });
      await writeFile(join(source, file), text);
    }
    return buildSite(join(folder, site), { source, pages });
  };
  beforeAll(async () => {
    manifest = await build('first');
  });

  test('has for each page its style sheet, its script and all modules that the script imports', async () => {
    const html = await readText('first', manifest.pages.app!.file);
    expect(html).toMatch(/<link rel="stylesheet" href="\/assets\/app-\w{8}\.css">/);
    expect(html).toMatch(/<script type="module" src="\/assets\/app-\w{8}\.js"><\/script>/);
    expect(html).toMatch(/<link rel="modulepreload" href="\/assets\/chunk-\w{8}\.js">/);
    expect(html).toContain(`<meta name="build" content="${manifest.build}">`);
    expect(html).not.toContain('later');
    expect(html).toContain(`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(sources['icon.svg']!)}">`);
    expect(html.indexOf('<script')).toBeLessThan(html.indexOf('</head>'));
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(await readText('first', manifest.pages.embed!.file)).not.toContain('stylesheet');
  });

  test('loads a module that is needed at once together with the script', async () => {
    const source = join(folder, 'first-sources');
    const [app] = pages;
    const { pages: built } = await buildSite(join(folder, 'early'), {
      source,
      pages: [{ ...app!, first: 'later.ts' }],
    });
    const html = await readText('early', built.app!.file);
    expect(html).toMatch(/<link rel="modulepreload" href="\/assets\/later-\w{8}\.js">/);
    const missing = buildSite(join(folder, 'early'), { source, pages: [{ ...app!, first: 'shared.ts' }] });
    await expect(missing).rejects.toThrow('shared.ts is neither a script of a page nor imported by one');
  });

  test('has only files that a page can load, without source maps', () => {
    const names = Object.keys(manifest.files).map((path) => path.replace(/-\w{8}\./, '-HASH.'));
    expect(names.toSorted()).toEqual([
      '/assets/app-HASH.css',
      '/assets/app-HASH.js',
      '/assets/chunk-HASH.js',
      '/assets/embed-HASH.js',
      '/assets/icon-HASH.svg',
      '/assets/later-HASH.js',
    ]);
  });

  test('loads the styles of later modules with the page', async () => {
    const css = Object.keys(manifest.files).find((path) => path.endsWith('.css'))!;
    const text = await readText('first', css);
    expect(text).toContain('b{color:#00f}');
    expect(text).toMatch(/url\((")?\/assets\/icon-\w{8}\.svg\1?\)/);
  });

  test('has compressed forms where they are smaller', async () => {
    const find = (start: string) => Object.entries(manifest.files).find(([path]) => path.startsWith(start))![1];
    const { file, encodings } = find('/assets/later');
    expect(encodings).toEqual(['br', 'gzip']);
    const [plain, brotli, zipped] = await Promise.all(
      ['', '.br', '.gz'].map((ending) => readFile(join(folder, 'first', file + ending))),
    );
    expect(brotliDecompressSync(brotli!).equals(plain!)).toBe(true);
    expect(gunzipSync(zipped!).equals(plain!)).toBe(true);
    expect(find('/assets/icon').encodings).toEqual([]);
  });

  test('has the same bytes for the same sources', async () => {
    await build('second');
    expect(await contentsOf('second')).toEqual(await contentsOf('first'));
  });

  test('has another id and other names of only the changed files after a change', async () => {
    const changed = await build('third', { 'later.ts': 'export const later = 2;' });
    expect(changed.build).not.toBe(manifest.build);
    const kept = Object.keys(changed.files).filter((path) => Object.hasOwn(manifest.files, path));
    expect(kept.filter((path) => /embed|icon/.test(path))).toHaveLength(2);
    expect(kept.filter((path) => /later|app-\w+\.js/.test(path))).toEqual([]);
  });

  test.each([
    ['no script', '<head></head>'],
    [
      'two scripts',
      '<head><script type="module" src="a.ts"></script><script type="module" src="b.ts"></script></head>',
    ],
  ])('is refused with %s in a page', async (_, html) => {
    await expect(build('refused', { 'index.html': html })).rejects.toThrow('index.html must have exactly one');
  });
});

describe('the dashboard', () => {
  const kibibytes = 1024;
  let manifest: SiteManifest;
  beforeAll(async () => {
    manifest = await buildSite(join(folder, 'dashboard'));
  });

  const brotliBytes = async (path: string): Promise<number> => {
    const { file, encodings } = manifest.files[path]!;
    return (await readFile(join(folder, 'dashboard', encodings.includes('br') ? `${file}.br` : file))).length;
  };
  const sizeOf = async (paths: Iterable<string>): Promise<number> =>
    (await Promise.all([...paths].map(brotliBytes))).reduce((sum, bytes) => sum + bytes, 0);
  const imported = async (path: string, pattern: RegExp): Promise<string[]> =>
    [...(await readText('dashboard', path)).matchAll(pattern)].map(([, found]) => found!);
  const statically = /(?:\bfrom|\bimport)\s*"(\/assets\/[^"]+\.js)"/g;
  const later = /\bimport\("(\/assets\/[^"]+\.js)"\)/g;

  /** A module and everything that it imports statically. */
  async function closure(start: string, known: ReadonlySet<string> = new Set()): Promise<Set<string>> {
    const found = new Set([start]);
    for (const path of found) for (const one of await imported(path, statically)) if (!known.has(one)) found.add(one);
    return found;
  }

  test('starts with at most 60 KB, and shows any screen with at most 150 KB, compressed and without the player', async () => {
    const html = await readText('dashboard', manifest.pages.app!.file);
    const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    const scripts = new Set(named.filter((path) => path.endsWith('.js')));
    const entry = await sizeOf(scripts);
    expect(entry).toBeLessThanOrEqual(60 * kibibytes);
    const others = await sizeOf(named.filter((path) => !scripts.has(path)));
    const screens = new Set((await Promise.all([...scripts].map((path) => imported(path, later)))).flat());
    expect(screens.size).toBeGreaterThan(0);
    for (const screen of screens) {
      const added = await sizeOf(await closure(screen, scripts));
      expect(entry + others + added, screen).toBeLessThanOrEqual(150 * kibibytes);
    }
  });

  test('has no inline script or style, and loads nothing from other hosts', async () => {
    for (const { file } of Object.values(manifest.pages)) {
      const html = await readText('dashboard', file);
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/assets\/)/);
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    }
  });
});
