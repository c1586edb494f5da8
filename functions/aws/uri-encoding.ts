/** Percent-encodes an object key as AWS signatures require: everything except slashes and A-Z a-z 0-9 - . _ ~ */
export const encodePath = (path: string): string => path.split('/').map(encodePart).join('/');

/** Percent-encodes a name or a value in a query, or a part of a path. */
export const encodePart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
