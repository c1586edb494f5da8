/** The kinds of jobs of a video. The spec of a job says what exactly to do. */
export const videoJobKinds = [
  'probe',
  'quality',
  'encode-video',
  'encode-audio',
  'package',
  'thumbnails',
  'text',
] as const;

/**
 * The kinds of jobs for workers. `ingest` fetches the file of an upload from its URL, before there is a video;
 * `transcribe` turns speech of a finished video into words. No state of an execution waits for either.
 */
export const jobKinds = [...videoJobKinds, 'ingest', 'transcribe'] as const;
