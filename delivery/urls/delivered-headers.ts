/**
 * Files below a plan's folder and those of captions are never overwritten. Manifests, posters and output files are
 * replaced when a video is encoded again.
 */
export const immutable = /\/(r[0-9]+|captions)\//;
export const foreverSeconds = 31_536_000;
export const replaceableSeconds = 60;
/** Playlists that grow while their video is encoded. */
export const growingSeconds = 1;
/**
 * How often a proxy or CDN revalidates a cached immutable file with the store. A deleted video stops playing after this
 * time.
 */
export const revalidatedSeconds = 20;

export const growingCacheControl = `public, max-age=${growingSeconds}`;

export const cacheControl = (key: string): string =>
  immutable.test(key) ? `public, max-age=${foreverSeconds}, immutable` : `public, max-age=${replaceableSeconds}`;

/** Players run on pages of any origin. Access depends on the signature in the path alone. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Length, Content-Range, Accept-Ranges, ETag, Date',
};

/** Not with the spread syntax, which CloudFront Functions do not have. */
export const preflightHeaders = Object.assign({}, corsHeaders, {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Range, If-None-Match, If-Modified-Since',
  'access-control-max-age': '86400',
});
