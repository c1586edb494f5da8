import type { JobResult } from '../../shared/protocol/jobs.ts';

/** The files that a result names, relative to the folder of its attempt. */
export function resultFiles(result: JobResult): string[] {
  if ('files' in result) return result.files.map(({ file }) => file);
  const tracks = 'tracks' in result ? result.tracks : 'track' in result ? [result.track] : [];
  return tracks.flatMap(({ init, segments }) => [init.file, ...segments.map(({ file }) => file)]);
}
