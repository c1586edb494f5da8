import type { Client } from './uppy-page.ts';

/** How a page may use the service. */
export const clients = {
  five: { major: 5, connection: 'readme' },
  fiveByEndpoint: { major: 5, connection: 'endpoint' },
  six: { major: 6, connection: 'sameOrigin' },
  sixByFetchWrapper: { major: 6, connection: 'fetchWrapper' },
} as const satisfies Record<string, Client>;

/** One client of each version. */
export const versions = [
  ['5.1.0 as in docs/uploads.md, bearer token, from another origin', clients.five],
  ['6.3.1 under /api/s3, cookie, same origin', clients.six],
] as const;

export const everyClient = [
  ...versions,
  ['5.1.0 by endpoint and headers, from another origin', clients.fiveByEndpoint],
  ['6.3.1 with a wrapped fetch, bearer token, from another origin', clients.sixByFetchWrapper],
] as const;
