/** What players and proxies are told of a file, by the end of its name. */
const contentTypes: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  m4s: 'video/mp4',
  ts: 'video/mp2t',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  vtt: 'text/vtt',
  gz: 'application/gzip',
};

export const contentTypeOf = (file: string): string =>
  contentTypes[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
