/** What lies below a run of a video is never written twice; manifests, posters and files of outputs are replaced when a video is encoded again. */
export const immutable = /\/r[0-9]+\//;
export const foreverSeconds = 31_536_000;
export const replaceableSeconds = 60;
/** A proxy or a CDN asks the store for as long-kept a copy whether it is still there: a deleted video's files end there this much later. */
export const revalidatedSeconds = 20;

export const cacheControl = (key: string): string =>
  immutable.test(key) ? `public, max-age=${foreverSeconds}, immutable` : `public, max-age=${replaceableSeconds}`;

/** Players run on pages of any origin; the signature in the path is the whole right to a file. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Length, Content-Range, Accept-Ranges, ETag, Date',
};

export const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Range, If-None-Match, If-Modified-Since',
  'access-control-max-age': '86400',
};
