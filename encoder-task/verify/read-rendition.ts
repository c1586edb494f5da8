import { readFragmented } from './read-fragmented.ts';
import { readTransport } from './read-transport.ts';
import type { Rendition, Report } from './rendition.ts';

/** Reads the files of a rendition; segments without an init segment are MPEG-TS. */
export type ReadRendition = (init: URL | null, segments: URL[]) => Promise<Rendition | undefined>;

/** Reads every rendition once: HLS media playlists, I-frame playlists and DASH may share the files. */
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
