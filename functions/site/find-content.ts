import type { SiteFile, SiteManifest } from '../../shared/site-manifest.ts';

/** What a path shows: a file, or a page, whose script finds out from the path what to show. */
export type Content = { kind: 'file'; path: string; file: SiteFile } | { kind: 'page'; name: string; file: SiteFile };

/** Pages that are not the dashboard's. Like `/`, they answer every client. */
const otherPages: Readonly<Record<string, string>> = { '/docs': 'docs', '/docs/viewer': 'docs-viewer' };
/** Paths below these belong to the API, to files of the site and to videos. No page is there. */
const notPages = ['api', 'assets', 's', 'p', 'oembed'];
/** A path of a page has no dot, by which names of files are recognised, and no empty part. */
const pagePath = /^(\/[^/\\.]+)+$/;

/**
 * The content of a path. Every path of a page shows it, but only to browsers: clients of the API that ask for an
 * unknown path receive an error that they can read.
 */
export function findContent(
  { files, pages }: SiteManifest,
  path: string,
  accept: string | undefined,
): Content | undefined {
  if (Object.hasOwn(files, path)) return { kind: 'file', path, file: files[path]! };
  const other = Object.hasOwn(otherPages, path) ? otherPages[path]! : undefined;
  if (other !== undefined) return { kind: 'page', name: other, file: pages[other]! };
  if (path !== '/' && !(isPagePath(path) && acceptsHtml(accept))) return undefined;
  const name = 'app';
  return { kind: 'page', name, file: pages[name]! };
}

const isPagePath = (path: string): boolean => pagePath.test(path) && !notPages.includes(path.split('/')[1]!);

const acceptsHtml = (accept = ''): boolean =>
  accept.split(',').some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*$/i.test(range));
