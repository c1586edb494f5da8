/** A file of the site as the build stores it. */
export type SiteFile = {
  /** below the folder of the site; each encoding has its ending after it */
  file: string;
  contentType: string;
  /** of the contents, in hexadecimal */
  hash: string;
  /** the encodings that exist beside the plain file, the preferred one first */
  encodings: readonly SiteEncoding[];
};

/** What the build of the dashboard writes as `manifest.json`, for the function that serves it. */
export type SiteManifest = {
  /** changes with every file of the site */
  build: string;
  /** by name */
  pages: Readonly<Record<string, SiteFile>>;
  /** by path */
  files: Readonly<Record<string, SiteFile>>;
};

/** The content codings of HTTP, with the ending of the file. */
export const encodingEndings = { br: '.br', gzip: '.gz' } as const;

export type SiteEncoding = keyof typeof encodingEndings;

/** Files below it have a hash in their names and never change. */
export const assetsPath = '/assets/';
