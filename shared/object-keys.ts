/** The only place where keys of objects are made. Nothing a user typed is in them but a file name reduced to safe characters. */

export const uploadsPrefix = 'uploads/';

export const uploadKey = (userUlid: string, uploadUlid: string, fileName: string): string =>
  `${uploadsPrefix}${userUlid}/${uploadUlid}/${safeFileName(fileName)}`;

/** The upload that an object in `uploads/` belongs to; undefined when the key is not of the service's making. */
export function parseUploadKey(key: string): { userUlid: string; uploadUlid: string } | undefined {
  const match = /^uploads\/([0-9A-HJKMNP-TV-Z]{26})\/([0-9A-HJKMNP-TV-Z]{26})\/[A-Za-z0-9._-]+$/.exec(key);
  return match ? { userUlid: match[1]!, uploadUlid: match[2]! } : undefined;
}

/** All objects of an upload: what the client sends, and what was taken of it. */
export const uploadFolder = (key: string): string => key.split('/').slice(0, 3).join('/').concat('/');

/**
 * Where an object goes that came by a form. The form can be sent again until it expires, which replaces the object under the upload's key; no form is
 * signed for this one. Each time an object is taken has a key apart, so that what one call took is never replaced by another.
 */
export const takenKey = (key: string, takingUlid: string): string =>
  `${uploadFolder(key)}taken/${takingUlid}/${key.slice(uploadFolder(key).length)}`;

/** The upload that any object below `uploads/` belongs to, whether sent or taken. */
export const uploadOfObject = (key: string): string | undefined =>
  /^uploads\/[0-9A-HJKMNP-TV-Z]{26}\/([0-9A-HJKMNP-TV-Z]{26})\/./.exec(key)?.[1];

/** Letters, digits, dot, dash and underscore, at most 100 of them, never with a leading dot or dash; `video` when nothing is left. */
export function safeFileName(fileName: string): string {
  const name = fileName
    .normalize('NFKD')
    // the accents that were taken off their letters
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-100)
    .replace(/^[.-]+/, '');
  return name === '' ? 'video' : name;
}

export const videosPrefix = 'videos/';

/** All that viewers can be given of a video lies below this. */
export const videoPrefix = (videoUlid: string): string => `${videosPrefix}${videoUlid}/`;

/** What the service itself needs while it works on a video; expires by itself. */
export const workPrefix = (videoUlid: string): string => `work/${videoUlid}/`;

/** What was found out and decided of a video. Kept as long as the video, so that a stream can be added to it at any time. */
export const plansPrefix = (videoUlid: string): string => `plans/${videoUlid}/`;

export const frameIndexKey = (videoUlid: string): string => `${plansPrefix(videoUlid)}index.json.gz`;

export const planKey = (videoUlid: string, planNumber: number): string => `${plansPrefix(videoUlid)}${planNumber}.json`;

/** The result of an attempt that is too large for the table. */
export const resultKey = (videoUlid: string, planNumber: number, job: string, attempt: number): string =>
  `${plansPrefix(videoUlid)}results/${planNumber}/${job}-a${attempt}.json`;

export const chunkListKey = (videoUlid: string, planNumber: number): string =>
  `${workPrefix(videoUlid)}${planNumber}/chunks.json`;

/** All that was made under one plan, but for manifests. */
export const runPrefix = (videoUlid: string, planNumber: number): string => `${videoPrefix(videoUlid)}r${planNumber}/`;

/** A folder of one attempt at one job: a worker that was given up can write nothing that its successor relies on. */
export const attemptPrefix = (videoUlid: string, planNumber: number, job: string, attempt: number): string =>
  `${runPrefix(videoUlid, planNumber)}${job}-a${attempt}/`;

export const outputPrefix = (videoUlid: string, outputUlid: string): string =>
  `${videoPrefix(videoUlid)}${outputUlid}/`;

/** The manifests of an output as one plan describes it: those of the next are written beside them, and then take their place. */
export const manifestsPrefix = (videoUlid: string, outputUlid: string, planNumber: number): string =>
  `${outputPrefix(videoUlid, outputUlid)}${planNumber}/`;

/** What proxies write of the requests that they answered. */
export const accessLogsPrefix = 'logs/access/';

export const accessLogPrefix = (nodeUlid: string): string => `${accessLogsPrefix}${nodeUlid}/`;
