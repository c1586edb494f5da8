/**
 * Security headers of responses. Functions send them, and each page its own Content-Security-Policy. The distribution
 * adds those that a response lacks, such as one of the gateway, and replaces none.
 */
export const transportSecurity = { maxAgeSeconds: 31_536_000, includeSubdomains: true } as const;

/** The values of each directive, as they are written in a Content-Security-Policy. */
export type ContentPolicy = Readonly<
  Partial<Record<`${string}-src` | 'base-uri' | 'form-action' | 'frame-ancestors' | 'sandbox', readonly string[]>>
>;

const none = ["'none'"];

/** It allows nothing. The policy of each page is this one, with what the page needs. */
const closedPolicy: ContentPolicy = {
  'default-src': none,
  'base-uri': none,
  'form-action': none,
  'frame-ancestors': none,
};

/** A Content-Security-Policy that allows what is named, and nothing else. */
export const contentPolicy = (allowed: ContentPolicy): string =>
  Object.entries({ ...closedPolicy, ...allowed })
    .map(([directive, values = []]) => `${directive} ${[...new Set(values)].join(' ')}`)
    .join('; ');

/** Of responses that are no pages. */
export const defaultContentPolicy = contentPolicy({});

/** Of files of videos: a browser that shows one as a page runs nothing in it. */
export const fileContentPolicy = "default-src 'none'; sandbox";

export const referrerPolicy = 'strict-origin-when-cross-origin';
