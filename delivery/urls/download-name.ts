const longestCharacters = 100;

/**
 * The end of an MP4 URL that requests a download: `?name=<name>&download=1`. The name is percent-encoded, also in the
 * header.
 */
export const downloadUrl = /\.(mp4|m4a)\?name=(?<download_name>([A-Za-z0-9._~-]|%[2-9A-F][0-9A-F])+)&download=1$/;

/** The Content-Disposition header for an encoded name, which may be an nginx variable. */
export const dispositionOf = (encodedName: string): string =>
  `attachment; filename="${encodedName}"; filename*=UTF-8''${encodedName}`;

/** The Content-Disposition header for a request target; undefined unless it requests a download. */
export function contentDisposition(target: string): string | undefined {
  const name = downloadUrl.exec(target)?.groups?.download_name;
  return name === undefined ? undefined : dispositionOf(name);
}

const extensionOf = /\.[A-Za-z0-9]{1,5}$/;

/** The Content-Disposition header for the download of an uploaded file, whose name can be any text. */
export const fileDisposition = (fileName: string): string =>
  dispositionOf(downloadName(fileName, extensionOf.exec(fileName)?.[0] ?? ''));

/** The name of a downloaded file from the video's name, encoded for URLs and headers. `extension` includes its dot. */
export function downloadName(videoName: string, extension: string): string {
  const base = videoName
    .toWellFormed()
    .replace(/[\p{Cc}/\\]/gu, '-')
    .replace(extensionOf, '');
  const text = `${[...(base || 'video')].slice(0, longestCharacters).join('')}${extension}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
