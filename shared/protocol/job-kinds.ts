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
 * The kinds of jobs that mostly wait for a network. `ingest` fetches the file of an upload from its URL, before there
 * is a video. `deliver` copies the files of a completed video to a storage of its owner. Fetchers run them, beside the
 * encodes of their machines.
 */
export const fetcherJobKinds = ['ingest', 'deliver'] as const;
export const isForFetchers = (kind: (typeof jobKinds)[number]): kind is (typeof fetcherJobKinds)[number] =>
  fetcherJobKinds.some((one) => one === kind);

/**
 * The kinds of jobs for workers. `transcribe` turns speech of a finished video into words. No state of an execution
 * waits for it, nor for the jobs of fetchers.
 */
export const jobKinds = [...videoJobKinds, ...fetcherJobKinds, 'transcribe'] as const;
