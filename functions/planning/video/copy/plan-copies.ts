import type { RateControl } from '../../../../shared/protocol/encode-spec.ts';
import type { VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { displaySize } from '../display-size.ts';
import { frameGrid, timeFrames } from '../frame-grid.ts';
import type { PlannedRung } from '../rungs.ts';
import { copiedSegmentFrames } from './copied-segments.ts';
import { encodeReason } from './encode-reason.ts';

/** A rung with the length of its segments. */
type Segmented = { item: PlannedRung; name: string; segmentSeconds: number };

type Source = Parameters<typeof encodeReason>[1];

/** `segmentSeconds` has new segment lengths by the lengths that outputs ask for, where a copy needs another one. */
export type Copies = { names: Set<string>; segmentSeconds: Map<number, number>; warnings: string[] };

/**
 * Decides which rungs are copied. Renditions with the same segment length share the bounds of their segments, so the
 * length may change for all of them. `capOf` has the bitrates that the template sets for a rung.
 */
export function planCopies(variants: Segmented[], source: Source, capOf: (rung: PlannedRung) => RateControl): Copies {
  const { width, height, change } = source.track;
  if (change) {
    const warnings = ['No stream is copied: the template crops, rotates or flips the picture.'];
    return { names: new Set(), segmentSeconds: new Map(), warnings };
  }
  const candidates = variants.filter(({ item }) => hasSizeOf(item, source.track));
  const copies: Copies = { names: new Set(), segmentSeconds: new Map(), warnings: [] };
  if (candidates.length === 0) {
    copies.warnings.push(`No stream is copied: none has the ${width} × ${height} pixels of the source.`);
  }
  const lengths = new Map<number, number>();
  const encoded = new Map<string, string[]>();
  for (const candidate of candidates) {
    const reason = encodeReason(candidate.item, source, capOf(candidate.item));
    const sharing = variants.filter(({ segmentSeconds }) => segmentSeconds === candidate.segmentSeconds);
    const seconds = reason === null ? segmentSecondsOf(candidate, sharing, source) : null;
    // a copy beside another one has its segment length
    if (seconds !== null && (lengths.get(candidate.segmentSeconds) ?? seconds) === seconds) {
      copies.names.add(candidate.name);
      lengths.set(candidate.segmentSeconds, seconds);
    } else {
      const why = reason ?? keyFrameReason;
      encoded.set(why, [...(encoded.get(why) ?? []), candidate.name]);
    }
  }
  for (const [why, names] of encoded) {
    const are = names.length === 1 ? 'is' : 'are';
    copies.warnings.push(`${new Intl.ListFormat('en').format(names)} ${are} encoded, not copied: ${why}.`);
  }
  for (const [asked, chosen] of lengths) if (chosen !== asked) copies.segmentSeconds.set(asked, chosen);
  return copies;
}

const keyFrameReason = 'the key frames of the source are not where segments of about the requested length could start';

/** Only rungs of this size are expected to be copied, so only they get a reason. */
function hasSizeOf({ rung }: PlannedRung, track: VideoTrack): boolean {
  const { width, height } = displaySize(track);
  return rung.width === width && rung.height === height && rung.pad === null;
}

/** The segment length with which a copy and the other rungs have the same bounds; null when there is none. */
function segmentSecondsOf({ item, segmentSeconds }: Segmented, sharing: Segmented[], source: Source): number | null {
  const { track, frames } = source;
  const gridOf = ({ frameRate, isCapped, gopSeconds }: PlannedRung) =>
    frameGrid(timeFrames(track, frameRate, isCapped), { originSeconds: 0, gopSeconds, segmentSeconds });
  const { segmentFrames } = gridOf(item);
  const encoded = sharing.filter((other) => other.item !== item).map((other) => gridOf(other.item));
  const seconds = (framesInSegment: number, { frameRate }: ReturnType<typeof gridOf>): number =>
    (framesInSegment * frameRate.den) / frameRate.num;
  const chosen = copiedSegmentFrames({
    frameCount: track.frameCount,
    starts: frames.copy?.starts ?? [],
    segmentFrames,
    gopFrames: gridOf(item).gopFrames,
  });
  if (chosen === undefined) return null;
  if (chosen === segmentFrames) return segmentSeconds;
  const length = seconds(chosen, gridOf(item));
  // the length must be whole GOPs of every other rung as well
  const fits = encoded.every((grid) => {
    const gops = length / seconds(grid.gopFrames, grid);
    return Math.abs(gops - Math.round(gops)) < 1e-6;
  });
  return fits ? length : null;
}
