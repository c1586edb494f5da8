import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join, posix, relative } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { encodingEndings, type SiteFile, type SiteManifest } from '../../../shared/site-manifest.ts';
import { compressedForms, removeUnusedForms } from './compressed-forms.ts';

const dashboardFolder = join(import.meta.dirname, '../../../dashboard');

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const options = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  // The first versions with the CSS function light-dark().
  target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  publicPath: '/',
  loader: { '.svg': 'file', '.png': 'file', '.woff2': 'file' },
  metafile: true,
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions;

/** Contents by path below the folder of the site, such as `assets/app-3F2A.js`. */
type Contents = ReadonlyMap<string, Uint8Array>;
type Entry = BuiltEntry & { name: string; template: string };

/**
 * Builds the pages of `dashboard/` into `folder`: scripts and style sheets with a hash in their names, an HTML file per
 * page, compressed forms of all, and the manifest by which the function `dashboard` finds them. The same sources
 * produce the same bytes.
 */
export async function buildSite(
  folder: string,
  { source = dashboardFolder, pages = sitePages }: { source?: string; pages?: readonly SitePage[] } = {},
): Promise<SiteManifest> {
  const { entries, assets } = await bundlePages(source, pages);
  const templates = entries.map(({ name, template }) => [name, template]);
  const id = hashOf(Buffer.from(JSON.stringify([templates, [...assets.keys()]]))).slice(0, 16);
  const htmlOf = (entry: Entry): Buffer => Buffer.from(pageHtml(entry.template, entry, id));
  const write = (file: string, content: Uint8Array): Promise<SiteFile> => writeForms(folder, file, content);
  const [files, written] = await Promise.all([
    Promise.all([...assets].map(async ([file, content]) => [`/${file}`, await write(file, content)] as const)),
    Promise.all(entries.map(async (entry) => [entry.name, await write(`${entry.name}.html`, htmlOf(entry))] as const)),
  ]);
  const manifest: SiteManifest = {
    build: id,
    pages: Object.fromEntries(written),
    files: Object.fromEntries(files),
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await removeUnusedForms();
  return manifest;
}

/** A folder that is not written: the names of the built files are below it. */
const outputFolder = 'built';

async function bundlePages(
  source: string,
  pages: readonly SitePage[],
): Promise<{ entries: Entry[]; assets: Contents }> {
  const templates = await Promise.all(
    pages.map(async ({ name, html, first }) => {
      const template = await inlineIcon(await readFile(join(source, html), 'utf8'), dirname(join(source, html)));
      return { name, template, first, script: posix.join(posix.dirname(html), scriptOf(template, html)) };
    }),
  );
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: source,
    entryPoints: Object.fromEntries(templates.map(({ name, script }) => [name, script])),
    outdir: outputFolder,
  });
  const entries = templates.map(({ script, first, ...rest }) => ({ ...rest, ...builtEntry(metafile, script, first) }));
  // The style sheet of a page also has the styles of the modules that it loads later. Those of each module are unused.
  const styleSheets = new Set(entries.map(({ styleSheet }) => styleSheet));
  const assets = outputFiles
    .map(({ path, contents }) => [relative(join(source, outputFolder), path).replaceAll('\\', '/'), contents] as const)
    .filter(([file]) => !file.endsWith('.css') || styleSheets.has(`/${file}`))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { entries, assets: new Map(assets) };
}

function builtEntry({ outputs }: Metafile, script: string, first: string | undefined): BuiltEntry {
  const pathOf = (output: string): string => output.slice(outputFolder.length);
  const outputOf = (source: string) => {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
    if (!found) throw new Error(`${source} is neither a script of a page nor imported by one with import()`);
    return found;
  };
  const [main, { cssBundle }] = outputOf(script);
  const imported = new Set([main, ...(first === undefined ? [] : [outputOf(first)[0]])]);
  for (const output of imported) {
    for (const { path, kind } of outputs[output]!.imports) if (kind === 'import-statement') imported.add(path);
  }
  imported.delete(main);
  return { script: pathOf(main), styleSheet: cssBundle && pathOf(cssBundle), preloads: [...imported].map(pathOf) };
}

async function writeForms(folder: string, file: string, content: Uint8Array): Promise<SiteFile> {
  const target = join(folder, file);
  const forms = await compressedForms(content);
  await mkdir(dirname(target), { recursive: true });
  await Promise.all([
    writeFile(target, content),
    ...forms.map(({ encoding, bytes }) => writeFile(target + encodingEndings[encoding], bytes)),
  ]);
  const contentType = contentTypes[extname(file)];
  if (contentType === undefined) throw new Error(`${file} has no content type: add one to infra/build/site`);
  return { file, contentType, hash: hashOf(content), encodings: forms.map(({ encoding }) => encoding) };
}

const hashOf = (content: Uint8Array): string => hash('sha256', content).slice(0, 32);

const scriptTag = /<script type="module" src="([^"]+)"><\/script>/g;

const iconTag = /<link rel="icon" href="([^"]+\.svg)">/;

/** Puts the SVG icon that a page names into it: the page of the documentation may load no images. */
async function inlineIcon(html: string, folder: string): Promise<string> {
  const file = iconTag.exec(html)?.[1];
  if (file === undefined) return html;
  const svg = (await readFile(join(folder, file), 'utf8')).trim();
  return html.replace(iconTag, `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(svg)}">`);
}

/** The path of the only script that an HTML file names, as the file names it. */
function scriptOf(html: string, file: string): string {
  const [found, ...others] = [...html.matchAll(scriptTag)];
  if (!found || others.length > 0) throw new Error(`${file} must have exactly one <script type="module" src="…">`);
  return found[1]!;
}

type BuiltEntry = { script: string; styleSheet: string | undefined; preloads: readonly string[] };

/**
 * Moves the script of an HTML file to its head and names the built files there: style sheet, script, and all modules
 * that the script imports, so that the browser loads them at once instead of one after the other. `build` is what the
 * page compares with `/app.json`.
 */
function pageHtml(html: string, { script, styleSheet, preloads }: BuiltEntry, build: string): string {
  const tags = [
    `<meta name="build" content="${build}">`,
    ...(styleSheet === undefined ? [] : [`<link rel="stylesheet" href="${styleSheet}">`]),
    `<script type="module" src="${script}"></script>`,
    ...preloads.map((path) => `<link rel="modulepreload" href="${path}">`),
  ];
  const parts = html.replace(scriptTag, '').split('</head>');
  if (parts.length !== 2) throw new Error('A page must have exactly one </head>');
  return parts.join(`${tags.map((tag) => `  ${tag}\n  `).join('')}</head>`);
}

/**
 * A page: its HTML file in `dashboard/` names one script, from which the build finds everything else. `first` is a
 * module that the script imports later, but in most cases at once: the browser loads it together with the script.
 */
type SitePage = { name: string; html: string; first?: string };

/** The pages of the site. The function `dashboard` decides which paths show which page. */
const sitePages: readonly SitePage[] = [
  { name: 'app', html: 'index.html', first: 'videos/videos-page.tsx' },
  { name: 'docs', html: 'docs/index.html' },
  { name: 'docs-viewer', html: 'docs/viewer.html' },
  // The function `embed` fills it.
  { name: 'embed', html: 'embed/index.html' },
];
