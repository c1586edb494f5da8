import { readFragmented } from './read-fragmented.ts';
import { readTransport } from './read-transport.ts';
import type { Rendition, Report } from './rendition.ts';

/** Reads the files of a rendition; without init segment they are transport streams. */
export type ReadRendition = (init: URL | null, segments: URL[]) => Promise<Rendition | undefined>;

/** Reads every rendition once, since HLS, its key frames and DASH may share the files. */
export function createRenditionReader(report: Report): ReadRendition {
  const known = new Map<string, Promise<Rendition | undefined>>();
  return (init, segments) => {
    const name = [init, ...segments].join();
    const reading =
      known.get(name) ?? (init ? readFragmented(init, segments, report) : readTransport(segments, report));
    known.set(name, reading);
    return reading;
  };
}
