/** All object keys are made here. The only user text in them is a file name, reduced to safe characters. */

export const uploadsPrefix = 'uploads/';

export const uploadKey = (userUlid: string, uploadUlid: string, fileName: string): string =>
  `${uploadsPrefix}${userUlid}/${uploadUlid}/${safeFileName(fileName)}`;

/** The upload that an object in `uploads/` belongs to; undefined for a key that the service did not make. */
export function parseUploadKey(key: string): { userUlid: string; uploadUlid: string } | undefined {
  const match = /^uploads\/([0-9A-HJKMNP-TV-Z]{26})\/([0-9A-HJKMNP-TV-Z]{26})\/[A-Za-z0-9._-]+$/.exec(key);
  return match ? { userUlid: match[1]!, uploadUlid: match[2]! } : undefined;
}

/** Objects that an operator's own programs write here become videos. */
export const watchPrefix = 'ingest/';

/** The template and the file name in the key of such an object; undefined for a key of another form. */
export function parseWatchedKey(key: string): { template: string; fileName: string } | undefined {
  const match = /^ingest\/([0-9A-HJKMNP-TV-Z]{26})\/(?:[^/]+\/)*([^/]{1,255})$/i.exec(key);
  return match ? { template: match[1]!, fileName: match[2]! } : undefined;
}

/** The prefix of all objects of an upload: the object that the client sent and the copies of it. */
export const uploadFolder = (key: string): string => key.split('/').slice(0, 3).join('/').concat('/');

/**
 * Where the service copies an object that was uploaded by a form. Until the form expires it can be sent again, which
 * overwrites the object under the upload's key, but no form is signed for this key. Every copy has a new key, so that
 * no call overwrites the copy of another.
 */
export const takenKey = (key: string, takingUlid: string): string =>
  `${uploadFolder(key)}taken/${takingUlid}/${key.slice(uploadFolder(key).length)}`;

/** Whether the service has made the object as a copy: it is no upload of a client. */
export const isTakenKey = (key: string): boolean => /^uploads\/[^/]+\/[^/]+\/taken\//.test(key);

/** The upload that any object below `uploads/` belongs to, sent or copied. */
export const uploadOfObject = (key: string): string | undefined =>
  /^uploads\/[0-9A-HJKMNP-TV-Z]{26}\/([0-9A-HJKMNP-TV-Z]{26})\/./.exec(key)?.[1];

/**
 * Letters, digits, dot, dash and underscore, at most 100 of them, no leading dot or dash; `video` when nothing remains.
 */
export function safeFileName(fileName: string): string {
  const name = fileName
    .normalize('NFKD')
    // combining marks, which NFKD has separated from their letters
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-100)
    .replace(/^[.-]+/, '');
  return name === '' ? 'video' : name;
}

export const videosPrefix = 'videos/';

/** Files with which proxies and the edge are checked, in a folder that no video has. Access to them is not counted. */
export const samplesPrefix = `videos/${'0'.repeat(26)}/` as const;
export const sampleKey = (ulid: string): string => `${samplesPrefix}${ulid}.txt`;

/** All files of a video that viewers can request. */
export const videoPrefix = (videoUlid: string): string => `${videosPrefix}${videoUlid}/`;

/** An object that exists while a video is public: proxies look it up. It is deleted with the video's files. */
export const publicMarkerKey = (videoUlid: string): string => `${videoPrefix(videoUlid)}public`;

/** Temporary files of the work on a video; the bucket's lifecycle removes them. */
export const workPrefix = (videoUlid: string): string => `work/${videoUlid}/`;

/** An image that is uploaded to become the poster. It is never delivered. */
export const posterUploadKey = (videoUlid: string, uploadUlid: string): string =>
  `${workPrefix(videoUlid)}posters/${uploadUlid}`;

/** Probe results and plans of a video. Kept as long as the video, so that streams can be added at any time. */
export const plansPrefix = (videoUlid: string): string => `plans/${videoUlid}/`;

/** An image that templates use. It is never overwritten. */
export const imageKey = (imageUlid: string): string => `images/${imageUlid}`;

/** The copy of such an image that the plans of a video use: the image can be deleted before the video. */
export const watermarkKey = (videoUlid: string, imageUlid: string): string =>
  `${plansPrefix(videoUlid)}watermarks/${imageUlid}`;

/** The result of the probe of a source. */
export const probePrefix = (videoUlid: string, sourceNumber: number): string =>
  `${plansPrefix(videoUlid)}${sourceNumber === 0 ? '' : `source-${sourceNumber}/`}`;

export const frameIndexFile = 'index.json.gz';

export const frameIndexKey = (videoUlid: string, sourceNumber = 0): string =>
  `${probePrefix(videoUlid, sourceNumber)}${frameIndexFile}`;

export const planKey = (videoUlid: string, planNumber: number): string => `${plansPrefix(videoUlid)}${planNumber}.json`;

/** The list of the files of a storage delivery, and the manifests that are made for it. Deleted after its end. */
export const deliveryPrefix = (videoUlid: string, deliveryUlid: string): string =>
  `${plansPrefix(videoUlid)}deliveries/${deliveryUlid}/`;

/** What the measurement of a plan has decided. Stored with the plan, and replaced once. */
export const qualityKey = (videoUlid: string, planNumber: number): string =>
  `${plansPrefix(videoUlid)}${planNumber}-quality.json`;

/** The result of an attempt that is too large for the table. */
export const resultKey = (videoUlid: string, planNumber: number, job: string, attempt: number): string =>
  `${plansPrefix(videoUlid)}results/${planNumber}/${job}-a${attempt}.json`;

export const chunkListKey = (videoUlid: string, planNumber: number): string =>
  `${workPrefix(videoUlid)}${planNumber}/chunks.json`;

/** The chunks that wait for the measurement of their plan. */
export const waitingChunksKey = (videoUlid: string, planNumber: number): string =>
  `${workPrefix(videoUlid)}${planNumber}/waiting-chunks.json`;

/** Everything made under one plan except manifests. */
export const runPrefix = (videoUlid: string, planNumber: number): string => `${videoPrefix(videoUlid)}r${planNumber}/`;

/** Poster, sprites, images and preview of a source. Their names are public, and the next run replaces them. */
export const thumbnailsPrefix = (videoUlid: string, sourceNumber: number): string =>
  `${videoPrefix(videoUlid)}thumbnails${sourceNumber === 0 ? '' : `-${sourceNumber}`}/`;

/** The folder of one attempt at a job. A worker whose lease has expired cannot overwrite files of the next attempt. */
export const attemptPrefix = (videoUlid: string, planNumber: number, job: string, attempt: number): string =>
  `${runPrefix(videoUlid, planNumber)}${job}-a${attempt}/`;

export const outputPrefix = (videoUlid: string, outputUlid: string): string =>
  `${videoPrefix(videoUlid)}${outputUlid}/`;

/** Whether a folder below that of a video is one of an output. */
export const isOutputFolder = (folder: string): boolean => /^videos\/[^/]+\/[0-9A-HJKMNP-TV-Z]{26}\/$/.test(folder);

/**
 * The manifests of an output under one plan. Those of the next plan are written beside them, then the record switches
 * to them. So are those of a later version of the captions.
 */
export const manifestsPrefix = (
  videoUlid: string,
  outputUlid: string,
  planNumber: number,
  captionsVersion?: number,
): string =>
  `${outputPrefix(videoUlid, outputUlid)}${planNumber}${captionsVersion === undefined ? '' : `-c${captionsVersion}`}/`;

/** The files of one version of a text track. They are never overwritten. */
export const captionPrefix = (videoUlid: string, captionUlid: string, version: string): string =>
  `${videoPrefix(videoUlid)}captions/${captionUlid}-${version}/`;

/** `language` is a canonical BCP 47 tag: letters, digits and hyphens. */
export const captionKey = (videoUlid: string, captionUlid: string, version: string, language: string): string =>
  `${captionPrefix(videoUlid, captionUlid, version)}${language}.vtt`;

/** WebVTT segments of a text track for outputs whose media segments have these times, with their playlist. */
export const captionSegmentsPrefix = (captionKey: string, layout: string): string =>
  `${captionKey.slice(0, captionKey.lastIndexOf('/') + 1)}${layout}/`;

/** Access logs of proxies, and those of the distribution after their conversion. */
export const accessLogsPrefix = 'logs/access/';

/** Access logs of the distribution as CloudFront writes them, until they are converted to those of a node `edge`. */
export const edgeLogsPrefix = 'logs/edge/';

export const accessLogPrefix = (nodeUlid: string): string => `${accessLogsPrefix}${nodeUlid}/`;
