const longestCharacters = 100;

/** The end of an MP4's URL that has it downloaded: `?name=<name>&download=1`. The name is percent-encoded, and stays so in the header. */
export const downloadUrl = /\.(mp4|m4a)\?name=(?<download_name>([A-Za-z0-9._~-]|%[2-9A-F][0-9A-F])+)&download=1$/;

/** The header of a download, where nginx or a caller puts the name in. */
export const dispositionOf = (encodedName: string): string =>
  `attachment; filename="${encodedName}"; filename*=UTF-8''${encodedName}`;

/** The header Content-Disposition for a request's target; undefined when it asks for no download. */
export function contentDisposition(target: string): string | undefined {
  const name = downloadUrl.exec(target)?.groups?.download_name;
  return name === undefined ? undefined : dispositionOf(name);
}

/** A video's name as that of its downloaded file, encoded for a URL and for the header. `extension` with its dot. */
export function downloadName(videoName: string, extension: string): string {
  const base = videoName
    .toWellFormed()
    .replace(/[\p{Cc}/\\]/gu, '-')
    .replace(/\.[A-Za-z0-9]{1,5}$/, '');
  const text = `${[...(base || 'video')].slice(0, longestCharacters).join('')}${extension}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
