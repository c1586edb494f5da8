/** Content types by file extension: of stored objects, of delivered files and in the API. */
export const contentTypes = {
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
  mp4: 'video/mp4',
  m4s: 'video/mp4',
  m4a: 'audio/mp4',
  ts: 'video/mp2t',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  vtt: 'text/vtt; charset=utf-8',
  gz: 'application/gzip',
} as const;

const isKnown = (extension: string): extension is keyof typeof contentTypes => Object.hasOwn(contentTypes, extension);

export function contentTypeOf(file: string): string {
  const extension = file.slice(file.lastIndexOf('.') + 1);
  return isKnown(extension) ? contentTypes[extension] : 'application/octet-stream';
}
