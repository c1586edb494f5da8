/** Percent-encoding as AWS's signatures want it: everything but A-Z a-z 0-9 - . _ ~ */
export function encodeUri(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Same, but slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeUri).join('/');
}
