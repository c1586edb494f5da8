/** Percent-encodes text as signatures of AWS require it: every character except A-Z a-z 0-9 - . _ ~ */
export const encodeUri = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Like `encodeUri`, but slashes stay. */
export const encodePath = (path: string): string => path.split('/').map(encodeUri).join('/');
