/**
 * Security headers of responses. Functions send them, and each page its own Content-Security-Policy. The distribution
 * adds those that a response lacks, such as one of the gateway, and replaces none.
 */
export const transportSecurity = { maxAgeSeconds: 31_536_000, includeSubdomains: true } as const;

/** Of responses that are no pages. */
export const defaultContentPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

export const referrerPolicy = 'strict-origin-when-cross-origin';
