import { endSeconds, type Rendition, type Report } from './rendition.ts';

type Named = { name: string; rendition: Rendition };

/**
 * Renditions with the same frame rate have the same segment boundaries, so that a player can switch at any segment;
 * others differ by at most a frame.
 */
export function checkAlignment(renditions: Named[], report: Report): void {
  const first = renditions[0];
  if (!first) return;
  for (const { name, rendition } of renditions.slice(1)) {
    const frameSeconds = 1 / Math.min(first.rendition.framesPerSecond ?? 1, rendition.framesPerSecond ?? 1);
    const tolerance = rendition.framesPerSecond === first.rendition.framesPerSecond ? 1e-6 : frameSeconds;
    if (rendition.segments.length !== first.rendition.segments.length) {
      report(name, `has ${rendition.segments.length} segments, ${first.name} has ${first.rendition.segments.length}`);
      continue;
    }
    const off = rendition.segments.findIndex((segment, index) => {
      const other = first.rendition.segments[index];
      return segment && other && Math.abs(segment.startSeconds - other.startSeconds) > tolerance;
    });
    if (off !== -1) report(name, `segment ${off} does not start at the same time as in ${first.name}`);
    if (Math.abs(endSeconds(rendition) - endSeconds(first.rendition)) > tolerance + frameSeconds) {
      report(name, `ends at ${endSeconds(rendition)} s, ${first.name} at ${endSeconds(first.rendition)} s`);
    }
  }
}
